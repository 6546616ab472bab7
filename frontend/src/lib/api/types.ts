/** The API's shapes by their names in the app, as its OpenAPI document has them (`schema.d.ts`). */
import type { components } from '@/lib/api/schema';

type Schemas = components['schemas'];

export type PlanStatus = Schemas['StatusEnum'];
export type PeriodUnit = Schemas['PeriodUnitEnum'];

export type Plan = Schemas['Plan'];
export type OfferedPlan = Schemas['OfferedPlan'];
/** A plan as it will be: one that is added has no subscription yet. */
export type PlanToBe = Schemas['FuturePlan'];
export type Account = Schemas['Account'];
export type ManagePlans = Schemas['ManagePlans'];
export type OtherTotal = Schemas['OtherTotal'];

/** A change of services, of billing period, or a code: as things will be, or as they now are. */
export type ServicesChange = Schemas['Services'];
export type Preview = Schemas['Preview'];
export type Redeemed = Schemas['Redeemed'];
export type FreeMonthOffer = Schemas['FreeMonth'];
export type PaymentFailure = Schemas['PaymentFailure'];

export type PlansAnswer = Schemas['Plans'];
export type PauseAnswer = Schemas['Paused'];
export type PauseEstimate = Schemas['PauseEstimate'];
export type ResumeEstimate = Schemas['ResumeEstimate'];
export type PauseOffer = Schemas['PauseOffer'];
/** The plans after a cancellation, and what it ended or will end. */
export type CancelAnswer = Schemas['Cancelled'];
export type Cancelled = Schemas['CancelledSubscription'];

/** One thing that was done to the account. */
export type Activity = Schemas['Activity'];

export type Profile = Schemas['SavedProfile'];
export type SessionPlace = Schemas['SignedInAt'];
export type BillingDetails = Schemas['BillingDetails'];
export type EmailPreference = Schemas['Preference'];

export type Invoice = Schemas['InvoiceRow'];
export type InvoiceDownload = Schemas['Download'];

export type SendCodeAnswer = Schemas['CodeSent'];
export type SignInAnswer = Schemas['Session'];

export type Site = Schemas['Site'];
export type Brand = Schemas['Brand'];
export type BrandColors = Schemas['Colors'];
export type BrandPalette = Schemas['Palette'];
export type StreamingService = Schemas['Service'];

export type PaymentSource = Schemas['PaymentSource'];
/** What one pays with, and what is due. */
export type Payments = Schemas['PaymentMethods'];
/** The same after a change, with what it collected. */
export type PaymentsChange = Schemas['ChangedPaymentMethods'];
