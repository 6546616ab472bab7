const ELEMENT_ID = 'portal-settings';

/** What the page itself says, before any call: nothing secret. */
export interface PageSettings {
  /** IANA zone in which promised dates are drawn. */
  timeZone?: string;
}

/** Reads the settings written into the page; none, or unreadable ones, are the empty settings. */
export function pageSettings(page: Document = document): PageSettings {
  try {
    return JSON.parse(page.getElementById(ELEMENT_ID)?.textContent || '{}') as PageSettings;
  } catch {
    return {};
  }
}
