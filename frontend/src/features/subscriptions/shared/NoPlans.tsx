import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/buttons/Button';
import { EmptyState } from '@/ui/feedback/EmptyState';
import { PlayIcon } from '@/ui/icons/PlayIcon';

/** Shown instead of a table of subscriptions if there is none: where one can be started. */
export function NoPlans({ canAdd }: { canAdd: boolean }) {
  return (
    <EmptyState
      icon={<PlayIcon />}
      title="No subscriptions"
      action={
        canAdd ? (
          <ButtonLink to={paths.manageSubscription}>Add a service</ButtonLink>
        ) : (
          <ButtonLink to={paths.dashboard}>Go to your account</ButtonLink>
        )
      }
    >
      Your services and their prices show up here.
    </EmptyState>
  );
}
