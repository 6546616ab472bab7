import { billingNow } from './clock';

const LOCALE = 'en-US';
const DAY_IN_MS = 24 * 60 * 60 * 1000;
const dollars = new Intl.NumberFormat(LOCALE, { style: 'currency', currency: 'USD' });

/** 699 → `$6.99`; a negative amount keeps its sign before the dollar. */
export function formatCents(cents: number): string {
  return dollars.format(cents / 100);
}

/** 699 → `$6.99 USD`, as the invoice list shows its totals. */
export function formatCentsUsd(cents: number): string {
  return `${formatCents(cents)} USD`;
}

/** 699 → `-$6.99`, a discount. Zero is `$0.00`, without a sign. */
export function formatSaving(cents: number): string {
  return cents === 0 ? formatCents(0) : formatCents(-Math.abs(cents));
}

/** `$6.99 / month`. */
export function formatPrice(cents: number, periodUnit: 'month' | 'year'): string {
  return `${formatCents(cents)} / ${periodUnit}`;
}

/** `$6.99/month`, within a sentence. */
export function formatInlinePrice(cents: number, periodUnit: 'month' | 'year'): string {
  return `${formatCents(cents)}/${periodUnit}`;
}

let timeZone: string | undefined;

/** Sets the site's time zone for dates, so that they match the server's; by default the device's. */
export function setTimeZone(zone: string | undefined): void {
  timeZone = zone;
}

type DateStyle = Intl.DateTimeFormatOptions;
const LONG: DateStyle = { month: 'long', day: 'numeric', year: 'numeric' };
const SHORT: DateStyle = { month: 'short', day: 'numeric', year: 'numeric' };
const NUMERIC: DateStyle = { month: '2-digit', day: '2-digit', year: 'numeric' };

function formatInstant(instant: string | Date, style: DateStyle): string {
  return new Intl.DateTimeFormat(LOCALE, { ...style, timeZone }).format(new Date(instant));
}

/** `November 20, 2026`. */
export function formatDate(instant: string | Date): string {
  return formatInstant(instant, LONG);
}

/** `Nov 20, 2026`. */
export function formatShortDate(instant: string | Date): string {
  return formatInstant(instant, SHORT);
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

/** `1 day`, `2 days`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
