import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';

import { siteOptions } from '@/lib/api/queries';
import { allowsSupportWidget } from '@/lib/documents';
import { loadWhenIdle } from '@/lib/supportScript';

/** The support widget, where there is one and this document allows it; its script draws it by itself. */
export function SupportWidget() {
  const { data: site } = useQuery(siteOptions);
  const url = site?.supportWidget?.scriptUrl;
  useEffect(() => {
    return url && allowsSupportWidget() ? loadWhenIdle(url) : undefined;
  }, [url]);
  return null;
}
