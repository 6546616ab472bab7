import { paths } from '@/lib/paths';
import { LiveFieldError } from '@/ui/forms/FieldError';
import { TextLink } from '@/ui/navigation/TextLink';

/** Explains why the last checkbox stays checked, with a link to cancel everything instead. */
export function LastPlanError({ isRefused }: { isRefused: boolean }) {
  return (
    <LiveFieldError>
      {isRefused && (
        <>
          <p>Keep at least one service, or cancel everything.</p>
          <TextLink to={paths.cancelAll}>Cancel everything</TextLink>
        </>
      )}
    </LiveFieldError>
  );
}
