import { afterEach, describe, expect, it } from 'vitest';

import { formatCount } from './formatCount';
import {
  calendarDaysUntil,
  daysLeft,
  formatCents,
  formatDate,
  formatInvoiceTotal,
  formatNumericDate,
  formatPrice,
  formatSaving,
  formatShortDate,
  formatWeekday,
} from './formats';
import { setTimeZone } from './timeZone';

describe('money', () => {
  // shows: product-4
  it.each([
    [699, '$6.99'],
    [0, '$0.00'],
    [5, '$0.05'],
    [123456, '$1,234.56'],
    [-140, '-$1.40'],
  ])('%i cents are %s', (cents, text) => {
    expect(formatCents(cents)).toBe(text);
  });

  // shows: product-5
  it('ends with its currency on the invoice list', () => {
    expect(formatInvoiceTotal(699, 'USD')).toBe('$6.99 USD');
    expect(formatInvoiceTotal(250, 'EUR')).toBe('€2.50 EUR');
  });

  it.each([
    [500, 'JPY', '¥500'],
    // Browsers write these without decimals, and the provider counts hundredths.
    [129900, 'HUF', 'HUF 1,299.00'],
    [1250, 'KWD', 'KWD 1.250'],
  ])('has the decimals of its currency: %i of %s', (cents, currency, text) => {
    expect(formatCents(cents, currency).replace('\u00a0', ' ')).toBe(text);
  });

  it.each([
    [{ currencyCode: 'USD', period: 1, periodUnit: 'year' as const }, '$69.99 / year'],
    [{ currencyCode: 'EUR', period: 3, periodUnit: 'month' as const }, '€69.99 / 3 months'],
  ])('includes its period', (terms, text) => {
    expect(formatPrice(6999, terms)).toBe(text);
  });

  it.each([
    [150, '-$1.50'],
    [-150, '-$1.50'],
    [0, '$0.00'],
  ])('%i cents saved are %s', (cents, text) => {
    expect(formatSaving(cents)).toBe(text);
  });
});

describe('dates', () => {
  afterEach(() => setTimeZone(undefined));
  const lateEvening = '2026-12-10T02:30:00Z';

  it('are formatted in the site’s time zone', () => {
    setTimeZone('America/New_York');
    expect(formatDate(lateEvening)).toBe('December 9, 2026');
    setTimeZone('UTC');
    expect(formatDate(lateEvening)).toBe('December 10, 2026');
  });

  // shows: data-11
  it('have a short and a numeric form', () => {
    setTimeZone('UTC');
    expect(formatShortDate(lateEvening)).toBe('Dec 10, 2026');
    expect(formatNumericDate('2026-02-03T12:00:00Z')).toBe('02/03/2026');
  });
});

describe('days left', () => {
  const now = new Date('2026-11-20T12:00:00Z');

  // shows: data-11
  it.each([
    ['2026-11-20T12:00:01Z', 1],
    ['2026-11-21T12:00:00Z', 1],
    ['2026-11-21T12:00:01Z', 2],
    ['2026-11-20T12:00:00Z', 0],
    ['2026-11-20T11:00:00Z', 0],
    ['2026-11-18T12:00:00Z', -2],
  ])('until %s are %i', (instant, days) => {
    expect(daysLeft(instant, now)).toBe(days);
  });

  it.each([
    ['2026-11-20T23:00:00Z', 0],
    ['2026-11-21T04:30:00Z', 0],
    ['2026-11-21T05:30:00Z', 1],
    ['2026-12-02T23:00:00Z', 12],
    ['2026-11-18T12:00:00Z', -2],
  ])('in the calendar until %s are %i', (instant, days) => {
    setTimeZone('America/New_York');
    expect(calendarDaysUntil(instant, now)).toBe(days);
  });

  it('of the week have the year unless it is the current one', () => {
    setTimeZone('America/New_York');
    expect(formatWeekday('2027-01-01T03:00:00Z', now)).toBe('Thursday, December 31');
    expect(formatWeekday('2027-01-01T06:00:00Z', now)).toBe('Friday, January 1, 2027');
  });

  it('are counted with singular and plural', () => {
    expect(formatCount(1, 'day')).toBe('1 day');
    expect(formatCount(12, 'day')).toBe('12 days');
  });
});
