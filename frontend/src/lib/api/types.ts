/**
 * The app's names for the types of the API, which are generated from its OpenAPI document
 * (`schema.d.ts`).
 */
import type { components } from './schema';

type Schemas = components['schemas'];

export type PlanStatus = Schemas['StatusEnum'];
export type PeriodUnit = Schemas['PeriodUnitEnum'];
/** The billing periods for which plans are sold. */
export type SoldPeriodUnit = Schemas['SoldPeriodUnitEnum'];

export type Plan = Schemas['Plan'];
export type OfferedPlan = Schemas['OfferedPlan'];
/** A plan after a change. An added plan has no subscription yet. */
export type PlanToBe = Schemas['FuturePlan'];
export type Account = Schemas['Account'];
/** Another customer of the account's email address. */
export type OtherCustomer = Schemas['OtherCustomer'];
export type ManagePlans = Schemas['ManagePlans'];
/** A bill to come, and what follows it where that differs. */
export type NextBill = Schemas['NextBill'];
export type OtherTotal = Schemas['OtherTotal'];

/**
 * The plans and costs of a change of services, of billing period or by a coupon, before or after it
 * is made.
 */
export type ServicesChange = Schemas['Services'];
export type PeriodEstimate = Schemas['Preview'];
export type RedeemAnswer = Schemas['Redeemed'];
export type FreeMonthOffer = Schemas['FreeMonth'];
export type PaymentFailure = Schemas['PaymentFailure'];
/** An invoice whose collection failed. */
export type FailedPayment = Schemas['FailedPayment'];

export type PlansAnswer = Schemas['Plans'];
export type PauseAnswer = Schemas['Paused'];
export type PauseEstimate = Schemas['PauseEstimate'];
export type ResumeEstimate = Schemas['ResumeEstimate'];
export type PauseOffer = Schemas['PauseOffer'];
/** The plans after a cancellation, and the canceled subscriptions. */
export type CancelAnswer = Schemas['Cancelled'];
export type CancelScreen = Schemas['CancelScreen'];
export type CancelledSubscription = Schemas['CancelledSubscription'];

/** An entry in the account's activity. */
export type Activity = Schemas['Activity'];
/** A mail of the activity as it was sent. */
export type SentMail = Schemas['SentMail'];

export type Profile = Schemas['SavedProfile'];
export type SessionPlace = Schemas['SignedInAt'];
export type BillingDetails = Schemas['BillingDetails'];
export type EmailPreference = Schemas['Preference'];

export type Invoice = Schemas['InvoiceRow'];
export type CreditNote = Schemas['CreditNoteRow'];
export type InvoiceDownload = Schemas['Download'];

export type SendCodeAnswer = Schemas['CodeSent'];
export type SignInAnswer = Schemas['Session'];

export type Site = Schemas['Site'];
export type Brand = Schemas['Brand'];
export type BrandColors = Schemas['Colors'];
export type BrandPalette = Schemas['Palette'];
export type StreamingService = Schemas['Service'];

export type PaymentSource = Schemas['PaymentSource'];
/** The payment methods and the amount due. */
export type Payments = Schemas['PaymentMethods'];
/** The payment methods after a change, with the amount collected. */
export type PaymentsChange = Schemas['ChangedPaymentMethods'];
