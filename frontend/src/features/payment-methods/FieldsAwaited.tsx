import { Skeleton } from '@/ui/Skeleton';
import { VisuallyHidden } from '@/ui/VisuallyHidden';
import fieldStyles from './HostedField.module.css';
import { HOSTED_KINDS, HOSTED_LABELS } from './hostedFields';
import styles from './PaymentForm.module.css';

/** The provider's fields on their way, in their shape. */
export function FieldsAwaited() {
  return (
    <div className={styles.hosted}>
      {HOSTED_KINDS.map((kind) => (
        <div key={kind} className={fieldStyles.field}>
          <span className={fieldStyles.label}>{HOSTED_LABELS[kind]}</span>
          <Skeleton height="3.25rem" radius="box" />
        </div>
      ))}
      <VisuallyHidden>
        <span role="status">Loading the secure card fields…</span>
      </VisuallyHidden>
    </div>
  );
}
