import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';

import { siteOptions } from '@/lib/api/queries';
import { pageAllowsSupportWidget } from '@/lib/page/pageSettings';
import { loadSupportScript } from '@/lib/page/supportScript';

/**
 * Loads the support widget if one is configured and this page allows it. Its script renders itself.
 */
export function SupportWidget() {
  const { data: site } = useQuery(siteOptions);
  const url = site?.supportWidget?.scriptUrl;
  useEffect(() => {
    return url && pageAllowsSupportWidget() ? loadSupportScript(url) : undefined;
  }, [url]);
  return null;
}
