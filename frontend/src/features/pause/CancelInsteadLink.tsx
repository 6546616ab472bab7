import { addressWithIds, IDS_PARAMETER } from '@/domain/plans/planAddresses';
import { useIdsInUrl } from '@/lib/hooks/useIdsInUrl';
import { paths } from '@/lib/paths';
import { ButtonLink, type ButtonVariant } from '@/ui/buttons/Button';

interface CancelInsteadLinkProps {
  /** Matches the button beside it. */
  variant?: ButtonVariant;
  block?: boolean;
  children: string;
}

/** The link to cancel the subscriptions selected in the URL, or all if none are selected. */
export function CancelInsteadLink({ children, ...look }: CancelInsteadLinkProps) {
  const [idsInUrl] = useIdsInUrl(IDS_PARAMETER);
  return (
    <ButtonLink {...look} to={addressWithIds(paths.cancelAll, idsInUrl)}>
      {children}
    </ButtonLink>
  );
}
