import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useLayoutEffect } from 'react';

import { siteOptions } from '@/lib/api/queries';
import { applyBrandColors } from '@/lib/brand';
import { setClockOffset } from '@/lib/clock';
import { setTimeZone } from '@/lib/formats';
import { LoaderOverlay } from '@/ui/LoaderOverlay';
import { SiteNameContext } from '@/ui/PageHeading';

/**
 * Colours the app, names its window and sets its time zone and clock for the brand of this host.
 *
 * Nothing is drawn before the brand is known, so that nothing moves when it comes; without an answer
 * the app is drawn without a brand.
 */
export function BrandProvider({ children }: { children: ReactNode }) {
  const { data: site, isFetched } = useQuery(siteOptions);
  useLayoutEffect(() => {
    if (!site) return;
    applyBrandColors(site.brand.colors);
    setTimeZone(site.timeZone);
    setClockOffset(site.clockOffset);
  }, [site]);
  if (!isFetched) return <LoaderOverlay />;
  return <SiteNameContext value={site?.brand.name ?? ''}>{children}</SiteNameContext>;
}
