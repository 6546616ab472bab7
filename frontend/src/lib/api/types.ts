/**
 * The shapes of the API's answers and questions, as the contract writes them.
 * Money is integer cents, instants are ISO 8601 UTC strings, what is unset is null.
 */

export type PlanStatus = 'IN_TRIAL' | 'ACTIVE' | 'NON_RENEWING' | 'CANCELLED' | 'PAUSED';
export type PeriodUnit = 'month' | 'year';
export type BillingPeriod = 'MONTH' | 'YEAR';

/** One service's plan as the subscriber holds it, or could. */
export interface Plan {
  id: string;
  name: string;
  /** Family code of the streaming service: faith-family, gospel-TV or kids. */
  service: string;
  amount: number;
  status: PlanStatus;
  subId: string;
  periodUnit: PeriodUnit;
  billingPeriod: BillingPeriod;
  cancelAt: string | null;
  /** Null while paused, non-renewing or with a pause scheduled. */
  nextBillingAt: string | null;
  pauseDate: string | null;
  resumeDate: string | null;
  hasUpcomingCoupon: boolean;
  hasPauseSub: boolean;
  hasScheduledPause: boolean;
  hasScheduledChange: boolean;
  hasFreeMonth: boolean;
}

/** A plan that may be added; nothing is held yet, so it has neither subscription nor status. */
export type OfferedPlan = Omit<Plan, 'status' | 'subId'> & {
  status: PlanStatus | null;
  subId: string | null;
};

export interface Account {
  name: string;
  email: string;
  plans: Plan[];
  hasPauseSub: boolean;
  hasScheduledPause: boolean;
  hasPaymentFailure: boolean;
}

export interface OtherTotal {
  periodUnit: PeriodUnit;
  total: number;
  bundleSavings: number;
  couponDiscount: number;
}

export interface ManagePlans {
  existingPlans: Plan[];
  plans: OfferedPlan[];
  bundleSavings: number;
  couponDiscount: number;
  total: number;
  periodUnit: PeriodUnit;
  otherTotal: OtherTotal | null;
}

export interface PaymentFailure {
  hasPaymentFailure: boolean;
}

export interface PlansAnswer {
  plans: Plan[];
}

export interface PauseAnswer extends PlansAnswer {
  pauseDate: string;
  resumeDate: string;
}

export interface PauseEstimate {
  pauseDate: string;
  resumeDate: string;
  plans: { subId: string; pauseDate: string; resumeDate: string }[];
}

export interface ResumeEstimate {
  resumeDate: string;
  amountDue: number;
  quote: string;
}

/** What a subscribed service shows to somebody about to leave. */
export interface PauseOffer {
  id: string;
  name: string;
  browseUrl: string;
  recommendedTitleImage1: string | null;
  recommendedTitleImage2: string | null;
  recommendedTitleImage3: string | null;
  recommendedTitleImage4: string | null;
  upcomingTitleImage1: string | null;
  upcomingTitleImage2: string | null;
  upcomingTitleImage3: string | null;
  upcomingImageText1: string | null;
  upcomingImageText2: string | null;
  upcomingImageText3: string | null;
}

export type PaymentSourceType = 'CARD' | 'PAYPAL_EXPRESS_CHECKOUT';

export interface Invoice {
  number: string;
  /** The provider's word in upper case; PAID and PAYMENT_DUE are the usual ones. */
  status: string;
  transactionDate: string;
  total: number;
  paymentSourceType: PaymentSourceType | null;
  cardBrand: string | null;
  last4: string | null;
  paypalEmail: string | null;
}

export interface InvoiceDownload {
  downloadUrl: string;
}

export interface SendCodeAnswer {
  message: string;
  /** Seconds until the code lapses. */
  expiresIn: number;
  /** Seconds until another one may be asked for. */
  resendIn: number;
  challengeId: string;
}

export interface SignInAnswer {
  token: string;
  expiresAt: string;
  account: { name: string; email: string };
}

export interface BrandPalette {
  primary: string;
  onPrimary: string;
  accent: string;
  link: string;
}

export interface Brand {
  code: string;
  name: string;
  logoUrl: string;
  colors: { light: BrandPalette; dark: BrandPalette };
  termsUrl: string;
  privacyUrl: string;
  helpCentreUrl: string;
  contactLinkEnabled: boolean;
  showSubLogos: boolean;
}

export interface StreamingService {
  /** Family code, compared with `Plan.service` without case. */
  id: string;
  name: string;
  logoUrl: string;
  streamUrl: string;
  browseUrl: string;
}

export interface Site {
  siteName: string;
  publishableKey: string;
  enableCancelButton: boolean;
  chargebeeJsUrl: string;
  supportWidget: { text: string; url: string } | null;
  /** IANA zone in which promised dates hold. */
  timeZone: string;
  brand: Brand;
  services: StreamingService[];
}
