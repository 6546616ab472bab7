/** The API's shapes by their names in the app, as its OpenAPI document has them (`schema.d.ts`). */
import type { components } from '@/lib/api/schema';

type Schemas = components['schemas'];

export type PlanStatus = Schemas['StatusEnum'];
export type PeriodUnit = Schemas['PeriodUnitEnum'];

/** What a plan changes to, and when. */
export interface ScheduledPlan {
  periodUnit: PeriodUnit;
  amount: number;
  at: string;
}

export type Plan = Schemas['Plan'] & { scheduledPlan: ScheduledPlan | null };
export type OfferedPlan = Schemas['OfferedPlan'];
export type Account = Omit<Schemas['Account'], 'plans'> & { plans: Plan[] };
export type ManagePlans = Omit<Schemas['ManagePlans'], 'existingPlans'> & { existingPlans: Plan[] };
export type OtherTotal = Schemas['OtherTotal'];

/** A plan as it will be: one that is added has no subscription yet. */
export type PlanToBe = Omit<Plan, 'subId'> & { subId: string | null };

/** What every estimate of a change says, in cents; its `quote` stands for exactly these figures. */
interface Estimated {
  existingPlans: PlanToBe[];
  total: number;
  couponDiscount: number;
  bundleSavings: number;
  periodUnit: PeriodUnit;
  otherTotal: OtherTotal | null;
  dueNow: number;
  effectiveAt: string;
  quote: string;
}

/** Services added, removed and kept, by plan id: as they will be, or as they now are. */
export type ServicesChange = Estimated & {
  plans: OfferedPlan[];
  added: string[];
  removed: string[];
  keptAgain: string[];
};

/** A change of billing period, or a code: as things will be, or as they now are. */
export type Preview = Estimated & {
  annualSavings: number;
  credits: number;
  isImmediate: boolean;
  planIds: string[];
  removesFreeMonth: boolean;
  hasPaymentFailure: boolean;
};

export type Redeemed = Preview & { appliedTo: string };

export interface FreeMonthOffer {
  eligible: boolean;
  reason: string | null;
  amountSaved: number;
  nextBillingAt: string | null;
  newNextBillingAt: string | null;
  plans: Plan[];
  quote: string;
}
export type PaymentFailure = Schemas['PaymentFailure'];

export type PlansAnswer = Omit<Schemas['Plans'], 'plans'> & { plans: Plan[] };
export type PauseAnswer = Omit<Schemas['Paused'], 'plans'> & { plans: Plan[] };
export type PauseEstimate = Schemas['PauseEstimate'];
export type ResumeEstimate = Schemas['ResumeEstimate'];
export type PauseOffer = Schemas['PauseOffer'];

export type Invoice = Schemas['InvoiceRow'];
export type InvoiceDownload = Schemas['Download'];

export type SendCodeAnswer = Schemas['CodeSent'];
export type SignInAnswer = Schemas['Session'];

export type Site = Schemas['Site'];
export type Brand = Schemas['Brand'];
export type BrandColors = Schemas['Colors'];
export type BrandPalette = Schemas['Palette'];
export type StreamingService = Schemas['Service'];
