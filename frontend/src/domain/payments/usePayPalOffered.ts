import { useQuery } from '@tanstack/react-query';

import { siteOptions } from '@/lib/api/queries';

/** Whether a PayPal account can be added; true until the site is known. */
export function usePayPalOffered(): boolean {
  return useQuery(siteOptions).data?.paypalOffered ?? true;
}
