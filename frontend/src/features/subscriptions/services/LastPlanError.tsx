import { useQuery } from '@tanstack/react-query';

import { siteOptions } from '@/lib/api/queries';
import { contactUrl } from '@/lib/brand';
import { LiveFieldError } from '@/ui/FieldError';
import { ExternalLink } from '@/ui/TextLink';

/** Explains why the last checkbox stays checked, and how to cancel everything instead. */
export function LastPlanError({ isRefused }: { isRefused: boolean }) {
  const { data: site } = useQuery(siteOptions);
  const help = site ? contactUrl(site.brand) : '';
  return (
    <LiveFieldError>
      {isRefused && (
        <>
          <p>Keep at least one service, or cancel everything.</p>
          {help && (
            <ExternalLink href={help} newTab>
              Contact Customer Service
            </ExternalLink>
          )}
        </>
      )}
    </LiveFieldError>
  );
}
