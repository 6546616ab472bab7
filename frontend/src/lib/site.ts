import type { Site } from '@/lib/api/types';
import { setClockOffset } from '@/lib/clock';
import { setTimeZone } from '@/lib/timeZone';

/**
 * Sets the site's time zone and clock, and returns the site. Call it before anything is drawn: dates
 * that were drawn before stay as they are.
 */
export function applySite(site: Site): Site {
  setTimeZone(site.timeZone);
  setClockOffset(site.clockOffset);
  return site;
}
