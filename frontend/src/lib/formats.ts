import { billingNow } from './clock';

const LOCALE = 'en-US';
const DAY_IN_MS = 24 * 60 * 60 * 1000;
const DEFAULT_CURRENCY = 'USD';
const formatters = new Map<string, Intl.NumberFormat>();

/** The currency of an amount, and the period that it is for. */
export interface Terms {
  currencyCode: string;
  /** How many units a period has. */
  period: number;
  periodUnit: 'day' | 'week' | 'month' | 'year';
}

function moneyFormatter(currency: string): Intl.NumberFormat {
  const formatter =
    formatters.get(currency) ?? new Intl.NumberFormat(LOCALE, { style: 'currency', currency });
  formatters.set(currency, formatter);
  return formatter;
}

/**
 * 699 → `$6.99`; a negative amount keeps its sign before the dollar. Some currencies have no cents:
 * 500 → `¥500`.
 */
export function formatCents(cents: number, currency = DEFAULT_CURRENCY): string {
  const formatter = moneyFormatter(currency);
  return formatter.format(cents / 10 ** (formatter.resolvedOptions().maximumFractionDigits ?? 2));
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

let timeZone: string | undefined;

/** Sets the site's time zone for dates, so that they match the server's; by default the device's. */
export function setTimeZone(zone: string | undefined): void {
  timeZone = zone;
}

type DateStyle = Intl.DateTimeFormatOptions;
const LONG: DateStyle = { month: 'long', day: 'numeric', year: 'numeric' };
const WEEKDAY: DateStyle = { weekday: 'long', month: 'long', day: 'numeric' };
const SHORT: DateStyle = { month: 'short', day: 'numeric', year: 'numeric' };
const NUMERIC: DateStyle = { month: '2-digit', day: '2-digit', year: 'numeric' };

function formatInstant(instant: string | Date, style: DateStyle): string {
  return new Intl.DateTimeFormat(LOCALE, { ...style, timeZone }).format(new Date(instant));
}

/** `November 20, 2026`. */
export function formatDate(instant: string | Date): string {
  return formatInstant(instant, LONG);
}

/** `Friday, November 20`, with the year unless it is the current one. */
export function formatWeekday(instant: string | Date, now: Date = billingNow()): string {
  const isThisYear = formatYear(instant) === formatYear(now);
  return formatInstant(instant, isThisYear ? WEEKDAY : { ...WEEKDAY, year: 'numeric' });
}

/** `Nov 20, 2026`. */
export function formatShortDate(instant: string | Date): string {
  return formatInstant(instant, SHORT);
}

/** `Nov 20 – Dec 20, 2026`. */
export function formatDateRange(start: string, end: string): string {
  const format = new Intl.DateTimeFormat(LOCALE, { ...SHORT, timeZone });
  return format.formatRange(new Date(start), new Date(end));
}

/** `2026`. */
export function formatYear(instant: string | Date): string {
  return formatInstant(instant, { year: 'numeric' });
}

/** `Nov 20, 2026, 3:15 PM`. */
export function formatMoment(instant: string | Date): string {
  return formatInstant(instant, { ...SHORT, hour: 'numeric', minute: '2-digit' });
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
  // This locale writes dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat('en-CA', { ...NUMERIC, timeZone });
  return Date.parse(format.format(new Date(instant)));
}

/** `1 day`, `2 days`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

const LIST = new Intl.ListFormat('en-US', { type: 'conjunction' });

/** `Faith & Family, Gospel TV, and Kids`. */
export function formatList(words: readonly string[]): string {
  return LIST.format(words);
}
