import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useLayoutEffect } from 'react';

import { siteOptions } from '@/lib/api/queries';
import { applyBrandColors } from '@/lib/brand';
import { LoaderOverlay } from '@/ui/LoaderOverlay';
import { SiteNameContext } from '@/ui/PageHeading';

/**
 * Sets the colors and the name for the brand of this host.
 *
 * Renders nothing until the brand has loaded, so that the layout does not shift. If the request
 * fails, the app renders without a brand.
 */
export function BrandProvider({ children }: { children: ReactNode }) {
  const { data: site, isFetched } = useQuery(siteOptions);
  useLayoutEffect(() => {
    if (site) applyBrandColors(site.brand.colors);
  }, [site]);
  if (!isFetched) return <LoaderOverlay />;
  return <SiteNameContext value={site?.brand.name ?? ''}>{children}</SiteNameContext>;
}
