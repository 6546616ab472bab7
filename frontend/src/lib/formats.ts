import { billingNow } from './clock';
import { siteTimeZone } from './timeZone';

const LOCALE = 'en-US';
const DAY_IN_MS = 24 * 60 * 60 * 1000;
const DEFAULT_CURRENCY = 'USD';

/** The currency of an amount, and the period that it is for. */
export interface Terms {
  currencyCode: string;
  /** How many units a period has. */
  period: number;
  periodUnit: 'day' | 'week' | 'month' | 'year';
}

// The currencies that are not divided into hundredths (ISO 4217).
const WITHOUT_CENTS = new Set(
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' '),
);
const IN_THOUSANDTHS = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '));

// A formatter takes much longer to create than to use, so each is created on first use and kept.
const moneyFormatters = new Map<string, Intl.NumberFormat>();
const dateFormatters = new Map<DateStyle, Intl.DateTimeFormat>();
let listFormatter: Intl.ListFormat | undefined;

/** How many decimals an amount has, as in `billing/money.py`: browsers round some currencies. */
function decimalsOf(currency: string): number {
  if (WITHOUT_CENTS.has(currency)) return 0;
  return IN_THOUSANDTHS.has(currency) ? 3 : 2;
}

function moneyFormatter(currency: string): Intl.NumberFormat {
  const decimals = decimalsOf(currency);
  const formatter =
    moneyFormatters.get(currency) ??
    new Intl.NumberFormat(LOCALE, {
      style: 'currency',
      currency,
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
  moneyFormatters.set(currency, formatter);
  return formatter;
}

/**
 * 699 → `$6.99`; a negative amount keeps its sign before the dollar. Some currencies have no cents:
 * 500 → `¥500`.
 */
export function formatCents(cents: number, currency = DEFAULT_CURRENCY): string {
  return moneyFormatter(currency).format(cents / 10 ** decimalsOf(currency));
}

/** 699 → `$6.99 USD`, as the invoice list shows its totals. */
export function formatInvoiceTotal(cents: number, currency: string): string {
  return `${formatCents(cents, currency)} ${currency}`;
}

/** 699 → `-$6.99`, a discount. Zero is `$0.00`, without a sign. */
export function formatSaving(cents: number, currency = DEFAULT_CURRENCY): string {
  return formatCents(cents === 0 ? 0 : -Math.abs(cents), currency);
}

/** `month`, `3 months`. */
export function formatPeriod({ period, periodUnit }: Omit<Terms, 'currencyCode'>): string {
  return period === 1 ? periodUnit : `${period} ${periodUnit}s`;
}

/** `$6.99 / month`. */
export function formatPrice(cents: number, terms: Terms): string {
  return `${formatCents(cents, terms.currencyCode)} / ${formatPeriod(terms)}`;
}

/** `$6.99/month`, within a sentence. */
export function formatInlinePrice(cents: number, terms: Terms): string {
  return `${formatCents(cents, terms.currencyCode)}/${formatPeriod(terms)}`;
}

type DateStyle = Intl.DateTimeFormatOptions;
const LONG: DateStyle = { month: 'long', day: 'numeric', year: 'numeric' };
const WEEKDAY: DateStyle = { weekday: 'long', month: 'long', day: 'numeric' };
const WEEKDAY_AND_YEAR: DateStyle = { ...WEEKDAY, year: 'numeric' };
const SHORT: DateStyle = { month: 'short', day: 'numeric', year: 'numeric' };
const MOMENT: DateStyle = { ...SHORT, hour: 'numeric', minute: '2-digit' };
const NUMERIC: DateStyle = { month: '2-digit', day: '2-digit', year: 'numeric' };
const YEAR: DateStyle = { year: 'numeric' };

let formattersZone: string | undefined;

function dateFormatter(style: DateStyle): Intl.DateTimeFormat {
  const timeZone = siteTimeZone();
  if (timeZone !== formattersZone) dateFormatters.clear();
  formattersZone = timeZone;
  const formatter =
    dateFormatters.get(style) ?? new Intl.DateTimeFormat(LOCALE, { ...style, timeZone });
  dateFormatters.set(style, formatter);
  return formatter;
}

function formatInstant(instant: string | Date, style: DateStyle): string {
  return dateFormatter(style).format(new Date(instant));
}

/** `November 20, 2026`. */
export function formatDate(instant: string | Date): string {
  return formatInstant(instant, LONG);
}

/** `Friday, November 20`, with the year unless it is the current one. */
export function formatWeekday(instant: string | Date, now: Date = billingNow()): string {
  const isThisYear = formatYear(instant) === formatYear(now);
  return formatInstant(instant, isThisYear ? WEEKDAY : WEEKDAY_AND_YEAR);
}

/** `Nov 20, 2026`. */
export function formatShortDate(instant: string | Date): string {
  return formatInstant(instant, SHORT);
}

/** `Nov 20 – Dec 20, 2026`. */
export function formatDateRange(start: string, end: string): string {
  return dateFormatter(SHORT).formatRange(new Date(start), new Date(end));
}

/** `2026`. */
export function formatYear(instant: string | Date): string {
  return formatInstant(instant, YEAR);
}

/** `Nov 20, 2026, 3:15 PM`. */
export function formatMoment(instant: string | Date): string {
  return formatInstant(instant, MOMENT);
}

/** `11/20/2026`: month/day/year. */
export function formatNumericDate(instant: string | Date): string {
  return formatInstant(instant, NUMERIC);
}

/** Whole days from `now` until a date, rounded up; negative if it has passed. */
export function daysLeft(instant: string | Date, now: Date = billingNow()): number {
  const days = Math.ceil((new Date(instant).getTime() - now.getTime()) / DAY_IN_MS);
  return days === 0 ? 0 : days;
}

/** How many days a date is from `now` in the calendar of the site; negative if it has passed. */
export function calendarDaysUntil(instant: string | Date, now: Date = billingNow()): number {
  return (calendarDay(instant) - calendarDay(now)) / DAY_IN_MS;
}

/** The start of an instant's day in the site's time zone, as if that zone were UTC. */
function calendarDay(instant: string | Date): number {
  const [month = 0, day = 0, year = 0] = formatNumericDate(instant).split('/').map(Number);
  return Date.UTC(year, month - 1, day);
}

/** `Faith & Family, Gospel TV, and Kids`. */
export function formatList(words: readonly string[]): string {
  listFormatter ??= new Intl.ListFormat(LOCALE, { type: 'conjunction' });
  return listFormatter.format(words);
}
