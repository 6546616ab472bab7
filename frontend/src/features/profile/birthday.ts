export const INVALID_BIRTHDAY = 'Please select valid birthday date';

const FEBRUARY = 2;
/** A birthday has no year, so February has 29 days. */
const LEAP_YEAR = 2000;

interface MonthChoice {
  value: number;
  label: string;
}

const padToTwoDigits = (number: number) => String(number).padStart(2, '0');

const formatMonthName = (month: number) =>
  new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' }).format(
    Date.UTC(LEAP_YEAR, month - 1),
  );

/** The months, 01 to 12, with their names. */
export const MONTHS: readonly MonthChoice[] = Array.from({ length: 12 }, (_, index) => ({
  value: index + 1,
  label: `${padToTwoDigits(index + 1)} – ${formatMonthName(index + 1)}`,
}));

/** The days to choose from: 1 to 29 in February, otherwise 1 to 31. */
export function selectableDays(month: number): readonly number[] {
  const length = month === FEBRUARY ? 29 : 31;
  return Array.from({ length }, (_, index) => index + 1);
}

/** Whether the month has this day, or both are unset (0). */
export function isValidBirthday(month: number, day: number): boolean {
  if (month === 0 || day === 0) return month === day;
  return day <= new Date(Date.UTC(LEAP_YEAR, month, 0)).getUTCDate();
}
