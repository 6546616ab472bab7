let timeZone: string | undefined;

/** Sets the site's time zone for dates, so that they match the server's; by default the device's. */
export function setTimeZone(zone: string | undefined): void {
  timeZone = zone;
}

/** The time zone of dates; undefined for the device's. */
export function siteTimeZone(): string | undefined {
  return timeZone;
}
