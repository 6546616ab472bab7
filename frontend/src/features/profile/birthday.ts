export const INVALID_BIRTHDAY = 'Please select valid birthday date';

const FEBRUARY = 2;
/** A birthday has no year, so February has its 29 days. */
const LEAP_YEAR = 2000;

interface Choice {
  value: number;
  words: string;
}

const twoDigits = (number: number) => String(number).padStart(2, '0');

const monthName = (month: number) =>
  new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' }).format(
    Date.UTC(LEAP_YEAR, month - 1),
  );

/** 01 to 12, with their names. */
export const MONTHS: readonly Choice[] = Array.from({ length: 12 }, (_, index) => ({
  value: index + 1,
  words: `${twoDigits(index + 1)} – ${monthName(index + 1)}`,
}));

/** 1 to 29 in February, else 1 to 31. */
export function daysOffered(month: number): readonly number[] {
  const length = month === FEBRUARY ? 29 : 31;
  return Array.from({ length }, (_, index) => index + 1);
}

/** Whether the month has this day, or neither is set; 0 is unset. */
export function isBirthday(month: number, day: number): boolean {
  if (month === 0 || day === 0) return month === day;
  return day <= new Date(Date.UTC(LEAP_YEAR, month, 0)).getUTCDate();
}
