import { paths } from '@/lib/paths';
import { LiveFieldError } from '@/ui/FieldError';
import { TextLink } from '@/ui/TextLink';

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
