import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useLayoutEffect, useMemo, useRef } from 'react';

import { siteOptions } from '@/lib/api/queries';
import { applyBrandColors } from '@/lib/brand';
import { PageContext } from '@/ui/layout/PageHeading';
import { LoaderOverlay } from '@/ui/loading/LoaderOverlay';

interface BrandProviderProps {
  children: ReactNode;
  /** Whether a screen of the app led to this page load. */
  isFollowed?: boolean | undefined;
}

/**
 * Sets the colors and the name for the brand of this host.
 *
 * Renders nothing until the brand has loaded, so that the layout does not shift. If the request
 * fails, the app renders without a brand.
 */
export function BrandProvider({ children, isFollowed = false }: BrandProviderProps) {
  const { data: site, isFetched } = useQuery(siteOptions);
  useLayoutEffect(() => {
    if (site) applyBrandColors(site.brand.colors);
  }, [site]);
  const browserLoad = useRef(isFollowed ? null : { path: null });
  const siteName = site?.brand.name ?? '';
  const page = useMemo(() => ({ siteName, browserLoad }), [siteName]);
  if (!isFetched) return <LoaderOverlay />;
  return <PageContext value={page}>{children}</PageContext>;
}
