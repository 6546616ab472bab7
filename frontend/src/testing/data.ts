import type {
  Account,
  EmailPreference,
  FreeMonthOffer,
  Invoice,
  ManagePlans,
  OfferedPlan,
  PaymentSource,
  Payments,
  Plan,
  Preview,
  Profile,
  ServicesChange,
  SessionPlace,
  Site,
} from '@/lib/api/types';

/** Sample answers of the API. Each takes what a test wants different. */

export function aPlan(differing: Partial<Plan> = {}): Plan {
  return {
    id: 'faith-family-plan',
    name: 'Faith & Family',
    service: 'faith-family',
    amount: 699,
    status: 'ACTIVE',
    subId: 'sub_faith',
    periodUnit: 'month',
    billingPeriod: 'MONTH',
    cancelAt: null,
    nextBillingAt: '2026-12-10T15:00:00Z',
    pauseDate: null,
    resumeDate: null,
    hasUpcomingCoupon: false,
    hasPauseSub: false,
    hasScheduledPause: false,
    hasScheduledChange: false,
    hasFreeMonth: false,
    hasOtherPeriod: true,
    scheduledPlan: null,
    ...differing,
  };
}

export function anAccount(differing: Partial<Account> = {}): Account {
  return {
    name: 'Ava Example',
    email: 'ava@example.com',
    plans: [aPlan()],
    hasPauseSub: false,
    hasScheduledPause: false,
    hasPaymentFailure: false,
    ...differing,
  };
}

export function someManagePlans(differing: Partial<ManagePlans> = {}): ManagePlans {
  return {
    existingPlans: [aPlan()],
    plans: [],
    bundleSavings: 0,
    couponDiscount: 0,
    total: 699,
    periodUnit: 'month',
    otherTotal: null,
    ...differing,
  };
}

export function anInvoice(differing: Partial<Invoice> = {}): Invoice {
  return {
    number: '1001',
    status: 'PAID',
    transactionDate: '2026-11-10T15:00:00Z',
    total: 699,
    paymentSourceType: 'CARD',
    cardBrand: 'VISA',
    last4: '1111',
    paypalEmail: null,
    ...differing,
  };
}

export function aCard(differing: Partial<PaymentSource> = {}): PaymentSource {
  return {
    paymentSourceId: 'pm_visa',
    primaryPaymentSource: true,
    deletable: false,
    status: 'VALID',
    brand: 'VISA',
    maskedNumber: '************1111',
    firstName: 'Ava',
    lastName: 'Example',
    expiryMonth: 8,
    expiryYear: 2030,
    billingZip: '10001',
    billingState: 'New York',
    email: null,
    ...differing,
  };
}

export function aPayPal(differing: Partial<PaymentSource> = {}): PaymentSource {
  return aCard({
    paymentSourceId: 'pm_paypal',
    primaryPaymentSource: false,
    deletable: true,
    brand: 'PAYPAL',
    maskedNumber: null,
    firstName: null,
    lastName: null,
    expiryMonth: null,
    expiryYear: null,
    billingZip: null,
    billingState: null,
    email: 'ava@example.com',
    ...differing,
  });
}

/** What one pays with: a card by default, and nothing due. */
export function somePayments(differing: Partial<Payments> = {}): Payments {
  return { card: [aCard()], paypal: [], amountDue: 0, quote: 'quote-1', ...differing };
}

const palette = { primary: '#23418f', onPrimary: '#ffffff', accent: '#c4541b', link: '#23418f' };

export function aSite(differing: Partial<Site> = {}): Site {
  return {
    siteName: 'portal-test',
    publishableKey: 'test_key',
    enableCancelButton: true,
    pauseOfferOn: true,
    chargebeeJsUrl: 'https://js.example.com/v2/chargebee.js',
    supportWidget: null,
    timeZone: 'America/New_York',
    clockOffset: 0,
    brand: {
      code: 'faith-family',
      name: 'Faith & Family',
      logoUrl: '/static/portal/art/logo.svg',
      logoDarkUrl: '/static/portal/art/logo-dark.svg',
      heroUrl: '/static/portal/art/hero/faith-family.svg',
      colors: { light: palette, dark: palette },
      termsUrl: 'https://example.com/terms',
      privacyUrl: 'https://example.com/privacy',
      helpCentreUrl: 'https://help.example.com/requests/new',
      contactLinkEnabled: true,
      showSubLogos: true,
    },
    services: [
      aService('faith-family', 'Faith & Family'),
      aService('gospel-TV', 'Gospel TV'),
      aService('kids', 'Kids'),
    ],
    ...differing,
  };
}

function aService(id: string, name: string) {
  return {
    id,
    name,
    logoUrl: `/static/portal/art/${id}.svg`,
    logoDarkUrl: '',
    streamUrl: `https://${id.toLowerCase()}.example.com/`,
    browseUrl: `https://${id.toLowerCase()}.example.com/browse`,
  };
}

/** Plans of the two other services, as `aPlan` is of the first. */
export function aGospelPlan(differing: Partial<Plan> = {}): Plan {
  return aPlan({
    id: 'gospel-tv-plan',
    name: 'Gospel TV',
    service: 'gospel-TV',
    amount: 799,
    subId: 'sub_gospel',
    ...differing,
  });
}

export function aKidsPlan(differing: Partial<Plan> = {}): Plan {
  return aPlan({
    id: 'Minno-Plan',
    name: 'Kids',
    service: 'kids',
    amount: 899,
    subId: 'sub_kids',
    ...differing,
  });
}

/** What differs in a plan whose pause is scheduled, and in one that is paused. */
export const PAUSE_SCHEDULED: Partial<Plan> = {
  hasScheduledPause: true,
  nextBillingAt: null,
  pauseDate: '2026-12-10T15:00:00Z',
  resumeDate: '2027-01-09T15:00:00Z',
};

export const PAUSED: Partial<Plan> = {
  status: 'PAUSED',
  hasPauseSub: true,
  nextBillingAt: null,
  pauseDate: '2026-11-01T15:00:00Z',
  resumeDate: '2026-12-02T15:00:00Z',
};

/** What differs in a yearly plan, in one that ends, and in one that will be billed monthly. */
export const YEARLY: Partial<Plan> = { periodUnit: 'year', billingPeriod: 'YEAR', amount: 6999 };

export const ENDING: Partial<Plan> = {
  status: 'NON_RENEWING',
  cancelAt: '2026-12-04T15:00:00Z',
  nextBillingAt: null,
};

export const CHANGING: Partial<Plan> = {
  ...YEARLY,
  hasScheduledChange: true,
  scheduledPlan: { periodUnit: 'month', amount: 699, at: '2026-12-10T15:00:00Z' },
};

/** A service that could be added. */
export function anOffer(differing: Partial<OfferedPlan> = {}): OfferedPlan {
  return {
    ...aKidsPlan({ nextBillingAt: null }),
    status: null,
    subId: null,
    ...differing,
  };
}

const ESTIMATED = {
  existingPlans: [aPlan()],
  total: 699,
  couponDiscount: 0,
  bundleSavings: 0,
  periodUnit: 'month' as const,
  otherTotal: null,
  dueNow: 0,
  effectiveAt: '2026-11-20T15:00:00Z',
  hasPaymentFailure: false,
  quote: 'quote-1',
};

/** What a change of services comes to. */
export function aServicesChange(differing: Partial<ServicesChange> = {}): ServicesChange {
  return { ...ESTIMATED, plans: [], added: [], removed: [], keptAgain: [], ...differing };
}

/** What a change of billing period comes to. */
export function aPreview(differing: Partial<Preview> = {}): Preview {
  return {
    ...ESTIMATED,
    annualSavings: 0,
    credits: 0,
    isImmediate: true,
    planIds: ['faith-family-plan'],
    removesFreeMonth: false,
    ...differing,
  };
}

export function aFreeMonth(differing: Partial<FreeMonthOffer> = {}): FreeMonthOffer {
  return {
    eligible: true,
    reason: null,
    amountSaved: 699,
    nextBillingAt: '2026-12-10T15:00:00Z',
    newNextBillingAt: '2027-01-10T15:00:00Z',
    plans: [aPlan()],
    quote: 'quote-1',
    ...differing,
  };
}

export function aProfile(differing: Partial<Profile> = {}): Profile {
  return {
    email: 'ava@example.com',
    firstName: 'Ava',
    lastName: 'Stone',
    bmonth: 0,
    bday: 0,
    ...differing,
  };
}

/** The four kinds of email; these are wanted. */
export function somePreferences(...wanted: EmailPreference['key'][]): EmailPreference[] {
  const kinds = [
    ['newsLetter', 'Faith & Family Newsletter', 'A weekly newsletter.'],
    ['streaming', "What's Streaming", 'A monthly newsletter.'],
    ['promotions', 'Promotions', 'Marketing and promotional emails.'],
    ['branding', 'Our Other Brands', 'Emails about other platforms.'],
  ] as const;
  return kinds.map(([key, name, summary]) => ({
    key,
    name,
    summary,
    checked: wanted.includes(key),
  }));
}

export function aSession(differing: Partial<SessionPlace> = {}): SessionPlace {
  return {
    id: 'd2719a2c-9a5a-4a36-9a5d-0d6c1b9a0001',
    createdAt: '2026-11-01T15:00:00Z',
    lastUsedAt: '2026-11-20T15:00:00Z',
    agent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
    current: true,
    ...differing,
  };
}
