import { paths } from '@/lib/paths';
import { SELECTED, withSelection } from '@/lib/selection';
import { useNamed } from '@/lib/useNamed';
import { ButtonLink, type ButtonVariant } from '@/ui/Button';

interface CancelInsteadProps {
  /** As the offer beside it looks. */
  variant?: ButtonVariant;
  block?: boolean;
  children: string;
}

/** The way on to cancelling what the address selects; where it selects nothing, everything. */
export function CancelInstead({ children, ...look }: CancelInsteadProps) {
  const [named] = useNamed(SELECTED);
  return (
    <ButtonLink {...look} to={withSelection(paths.cancelAll, named)}>
      {children}
    </ButtonLink>
  );
}
