import type {
  Account,
  CancelScreen,
  CreditNote,
  EmailPreference,
  FailedPayment,
  FreeMonthOffer,
  Invoice,
  ManagePlans,
  NextBill,
  OfferedPlan,
  OtherCustomer,
  PaymentFailure,
  PaymentSource,
  Payments,
  PeriodEstimate,
  Plan,
  Profile,
  ServicesChange,
  SessionPlace,
  Site,
} from '@/lib/api/types';

/** Sample responses of the API. Each function takes overrides. */

export const MONTHLY_DOLLARS = { currencyCode: 'USD', period: 1, periodUnit: 'month' as const };

export function makePlan(overrides: Partial<Plan> = {}): Plan {
  return {
    id: 'faith-family-plan',
    name: 'Faith & Family',
    service: 'faith-family',
    amount: 699,
    status: 'ACTIVE',
    subId: 'sub_faith',
    ...MONTHLY_DOLLARS,
    billingPeriod: 'MONTH',
    cancelAt: null,
    contractEndsAt: null,
    nextBillingAt: '2026-12-10T15:00:00Z',
    pauseDate: null,
    resumeDate: null,
    hasUpcomingCoupon: false,
    hasPauseSub: false,
    hasScheduledPause: false,
    hasScheduledChange: false,
    hasFreeMonth: false,
    hasOtherPeriod: true,
    isChangeable: true,
    startsAt: null,
    amountToday: overrides.amount ?? 699,
    scheduledPlan: null,
    ...overrides,
  };
}

export function makeNextBill(overrides: Partial<NextBill> = {}): NextBill {
  return {
    date: '2026-12-10T15:00:00Z',
    amount: 699,
    ...MONTHLY_DOLLARS,
    plans: ['sub_faith'],
    planIds: ['faith-family-plan'],
    planNames: ['Faith & Family'],
    paymentSource: {
      paymentSourceId: 'pm_visa',
      type: 'CARD',
      typeName: 'Card',
      brand: 'VISA',
      last4: '1111',
      account: null,
    },
    tax: 'included',
    follows: false,
    ...overrides,
  };
}

export function makeAccount(overrides: Partial<Account> = {}): Account {
  return {
    name: 'Ava Example',
    email: 'ava@example.com',
    plans: [makePlan()],
    hasPauseSub: false,
    hasScheduledPause: false,
    hasPaymentFailure: false,
    nextBills: [makeNextBill()],
    creditBalance: 0,
    creditCurrency: 'USD',
    hasUnbilledCharges: false,
    ...overrides,
  };
}

export function makeManagePlans(overrides: Partial<ManagePlans> = {}): ManagePlans {
  return {
    existingPlans: [makePlan()],
    plans: [],
    bundleSavings: 0,
    couponDiscount: 0,
    total: 699,
    ...MONTHLY_DOLLARS,
    otherTotal: null,
    otherTotals: [],
    nextBills: [makeNextBill()],
    ...overrides,
  };
}

export function makeInvoice(overrides: Partial<Invoice> = {}): Invoice {
  return {
    number: '1001',
    status: 'PAID',
    transactionDate: '2026-11-10T15:00:00Z',
    items: [
      {
        name: 'Faith & Family',
        startsAt: '2026-11-10T15:00:00Z',
        endsAt: '2026-12-10T15:00:00Z',
      },
    ],
    total: 699,
    credits: 0,
    charged: 699,
    currencyCode: 'USD',
    paymentSourceType: 'CARD',
    paymentSourceName: 'Card',
    cardBrand: 'VISA',
    last4: '1111',
    paypalEmail: null,
    paidTogether: [],
    paymentTotal: null,
    creditNotes: [],
    ...overrides,
  };
}

export function makeCreditNote(overrides: Partial<CreditNote> = {}): CreditNote {
  return {
    number: 'CN-1',
    kind: 'REFUNDED',
    issuedAt: '2026-11-12T15:00:00Z',
    amount: 200,
    left: 0,
    currencyCode: 'USD',
    refundedAt: '2026-11-12T15:00:00Z',
    paymentSourceType: 'CARD',
    paymentSourceName: 'Card',
    cardBrand: 'VISA',
    last4: '1111',
    paypalEmail: null,
    ...overrides,
  };
}

export function makeCard(overrides: Partial<PaymentSource> = {}): PaymentSource {
  return {
    paymentSourceId: 'pm_visa',
    type: 'CARD',
    typeName: 'Card',
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
    account: null,
    ...overrides,
  };
}

export function makePayPal(overrides: Partial<PaymentSource> = {}): PaymentSource {
  return makeCard({
    paymentSourceId: 'pm_paypal',
    type: 'PAYPAL_EXPRESS_CHECKOUT',
    typeName: 'PayPal',
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
    ...overrides,
  });
}

/** No failure. */
export function makePaymentFailure(overrides: Partial<PaymentFailure> = {}): PaymentFailure {
  return {
    hasPaymentFailure: false,
    canceledPlans: [],
    pausedPlans: [],
    failedPayments: [],
    ...overrides,
  };
}

/** The last bill of the Faith & Family plan, declined on the default card. */
export function makeFailedPayment(overrides: Partial<FailedPayment> = {}): FailedPayment {
  return {
    number: '17',
    amountDue: 699,
    currencyCode: 'USD',
    plans: ['Faith & Family'],
    subIds: ['sub_faith'],
    reason: 'insufficient_funds',
    nextRetryAt: '2026-11-24T15:00:00Z',
    paymentSourceType: 'CARD',
    paymentSourceName: 'Card',
    cardBrand: 'VISA',
    last4: '1111',
    paypalEmail: null,
    ...overrides,
  };
}

/** Payment methods: one default card, and nothing due. */
export function makePayments(overrides: Partial<Payments> = {}): Payments {
  const lists = { card: [makeCard()], paypal: [], other: [] };
  return { ...lists, amountDue: 0, currencyCode: 'USD', quote: 'quote-1', ...overrides };
}

const palette = { primary: '#23418f', onPrimary: '#ffffff', accent: '#c4541b', link: '#23418f' };

/** The cancel screen as it is until operators edit it. */
export function makeCancelScreen(overrides: Partial<CancelScreen> = {}): CancelScreen {
  return {
    survey: {
      reason: [
        'Content is not interesting',
        'Found a better service',
        'Too expensive',
        'Technical Issues',
        'No longer needed',
      ],
      satisfactionLevel: [
        'Very satisfied',
        'Satisfied',
        'Neutral',
        'Dissatisfied',
        'Very dissatisfied',
      ],
      dailyUsage: ['Daily', 'Several times a week', 'Once a week', 'A few times a month', 'Rarely'],
    },
    pauseOffers: [],
    ...overrides,
  };
}

export function makeSite(overrides: Partial<Site> = {}): Site {
  return {
    siteName: 'portal-test',
    publishableKey: 'test_key',
    enableCancelButton: true,
    pauseOfferOn: true,
    chargebeeJsUrl: 'https://js.example.com/v2/chargebee.js',
    paypalOffered: true,
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
      makeService('faith-family', 'Faith & Family'),
      makeService('gospel-TV', 'Gospel TV'),
      makeService('kids', 'Kids'),
    ],
    ...overrides,
  };
}

function makeService(id: string, name: string) {
  return {
    id,
    name,
    logoUrl: `/static/portal/art/${id}.svg`,
    logoDarkUrl: '',
    summary: `All of ${name}`,
    streamUrl: `https://${id.toLowerCase()}.example.com/`,
    browseUrl: `https://${id.toLowerCase()}.example.com/browse`,
  };
}

/** Plans of the other two services. */
export function makeGospelPlan(overrides: Partial<Plan> = {}): Plan {
  return makePlan({
    id: 'gospel-tv-plan',
    name: 'Gospel TV',
    service: 'gospel-TV',
    amount: 799,
    subId: 'sub_gospel',
    ...overrides,
  });
}

export function makeKidsPlan(overrides: Partial<Plan> = {}): Plan {
  return makePlan({
    id: 'Minno-Plan',
    name: 'Kids',
    service: 'kids',
    amount: 899,
    subId: 'sub_kids',
    ...overrides,
  });
}

/** Overrides for a plan with a scheduled pause, and for a paused plan. */
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

/** Overrides for a yearly plan, for one that ends, and for one that will be billed monthly. */
export const YEARLY: Partial<Plan> = { periodUnit: 'year', billingPeriod: 'YEAR', amount: 6999 };

export const ENDING: Partial<Plan> = {
  status: 'NON_RENEWING',
  cancelAt: '2026-12-04T15:00:00Z',
  nextBillingAt: null,
};

export const CHANGING: Partial<Plan> = {
  ...YEARLY,
  hasScheduledChange: true,
  scheduledPlan: { ...MONTHLY_DOLLARS, amount: 699, at: '2026-12-10T15:00:00Z' },
};

/** A plan that can be added. */
export function makeOfferedPlan(overrides: Partial<OfferedPlan> = {}): OfferedPlan {
  return {
    ...makeKidsPlan({ nextBillingAt: null }),
    status: null,
    subId: null,
    otherPeriodAmount: 8999,
    ...overrides,
  };
}

const ESTIMATE = {
  nextBills: [makeNextBill()],
  existingPlans: [makePlan()],
  total: 699,
  couponDiscount: 0,
  bundleSavings: 0,
  ...MONTHLY_DOLLARS,
  otherTotal: null,
  otherTotals: [],
  dueNow: 0,
  charges: [] as number[],
  dueCurrencyCode: 'USD',
  effectiveAt: '2026-11-20T15:00:00Z',
  hasPaymentFailure: false,
  quote: 'quote-1',
};

/** The estimate or result of a change of services. */
export function makeServicesChange(overrides: Partial<ServicesChange> = {}): ServicesChange {
  return { ...ESTIMATE, plans: [], added: [], removed: [], keptAgain: [], ...overrides };
}

/** The estimate or result of a change of billing period. */
export function makePeriodEstimate(overrides: Partial<PeriodEstimate> = {}): PeriodEstimate {
  return {
    ...ESTIMATE,
    annualSavings: 0,
    credits: 0,
    adjustments: 0,
    isImmediate: true,
    planIds: ['faith-family-plan'],
    removesFreeMonth: false,
    ...overrides,
  };
}

export function makeFreeMonth(overrides: Partial<FreeMonthOffer> = {}): FreeMonthOffer {
  return {
    eligible: true,
    reason: null,
    amountSaved: 699,
    currencyCode: 'USD',
    nextBillingAt: '2026-12-10T15:00:00Z',
    newNextBillingAt: '2027-01-10T15:00:00Z',
    plans: [makePlan()],
    nextBills: [
      makeNextBill({ amount: 0 }),
      makeNextBill({ date: '2027-01-10T15:00:00Z', follows: true }),
    ],
    quote: 'quote-1',
    ...overrides,
  };
}

export function makeProfile(overrides: Partial<Profile> = {}): Profile {
  return {
    email: 'ava@example.com',
    firstName: 'Ava',
    lastName: 'Stone',
    bmonth: 0,
    bday: 0,
    ...overrides,
  };
}

/** The four kinds of email, with the wanted ones checked. */
export function makePreferences(...wanted: EmailPreference['key'][]): EmailPreference[] {
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

/** Another customer of the address, with Faith & Family. */
export function makeOtherCustomer(overrides: Partial<OtherCustomer> = {}): OtherCustomer {
  const plan = {
    name: 'Faith & Family',
    amount: 699,
    currencyCode: 'USD',
    period: 1,
    periodUnit: 'month',
    status: 'ACTIVE',
  } as const;
  return { id: 'other', plans: [{ ...plan, nextBillingAt: '2026-12-10T15:00:00Z' }], ...overrides };
}

export function makeSession(overrides: Partial<SessionPlace> = {}): SessionPlace {
  return {
    id: 'd2719a2c-9a5a-4a36-9a5d-0d6c1b9a0001',
    createdAt: '2026-11-01T15:00:00Z',
    lastUsedAt: '2026-11-20T15:00:00Z',
    agent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
    current: true,
    ...overrides,
  };
}
