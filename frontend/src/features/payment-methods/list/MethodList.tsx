import { useId } from 'react';
import { sourceName } from '@/domain/payments/methodNames';
import { deletionQuestion } from '@/features/payment-methods/shared/messages';
import type { PaymentSource } from '@/lib/api/types';
import { useModal } from '@/stores/modal';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import styles from './MethodList.module.css';
import { MethodRow } from './MethodRow';

interface MethodListProps {
  sources: readonly PaymentSource[];
  /** The default, or the one being made the default. */
  chosenId: string | undefined;
  onChoose: (source: PaymentSource) => void;
  /** Settles after success, or after a failure that has been shown. */
  onDelete: (source: PaymentSource) => Promise<unknown>;
}

/** The stored payment methods. The selected one is the default. */
export function MethodList({ sources, chosenId, onChoose, onDelete }: MethodListProps) {
  const group = useId();
  const askToDelete = (source: PaymentSource) =>
    useModal.getState().show({
      title: `Remove ${sourceName(source)}?`,
      ...deletionQuestion(source, sources),
      confirmBtnText: 'YES, REMOVE',
      onConfirm: () => onDelete(source).catch(() => undefined),
    });
  return (
    <fieldset className={styles.methods}>
      <legend>
        <VisuallyHidden>Your default payment method</VisuallyHidden>
      </legend>
      <ul className={styles.list}>
        {sources.map((source) => (
          <MethodRow
            key={source.paymentSourceId}
            source={source}
            group={group}
            isChosen={source.paymentSourceId === chosenId}
            onChoose={() => onChoose(source)}
            onDelete={() => askToDelete(source)}
          />
        ))}
      </ul>
    </fieldset>
  );
}
