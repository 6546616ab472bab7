import { CardComponent } from '@chargebee/chargebee-js-react-wrapper';
import {
  type ComponentRef,
  type Ref,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { AUTHORIZATION_TIMEOUT_MS } from '@/features/payment-methods/shared/bankAuthorization';
import styles from '@/features/payment-methods/shared/PaymentForm.module.css';
import { ProviderFailure } from '@/features/payment-methods/shared/ProviderFailure';
import { useChargebee } from '@/features/payment-methods/shared/useChargebee';
import { withTimeout } from '@/features/payment-methods/shared/withTimeout';
import { SCRIPT_TIMEOUT_MS } from '@/lib/chargebee/loadChargebee';
import type { PaymentIntent } from '@/lib/chargebee/types';
import { Skeleton } from '@/ui/loading/Skeleton';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import { type Focusable, HostedField } from './HostedField';
import fieldStyles from './HostedField.module.css';
import { HOSTED_FIELD_KINDS, HOSTED_FIELD_LABELS, type HostedFieldKind } from './hostedFields';
import { useHostedFieldStyles } from './useHostedFieldStyles';
import type { HostedFields } from './useHostedFields';

/** The cardholder, with the provider's field names. */
interface CardOwner {
  firstName: string;
  lastName: string;
  state: string;
  zip: string;
}

export interface CardFieldsHandle {
  /**
   * Authorizes an intent with the entered card; the card's bank may ask the payer first. Rejects
   * with the error of the provider's script.
   */
  authorize: (intent: PaymentIntent, owner: CardOwner) => Promise<PaymentIntent>;
  focus: (kind: HostedFieldKind) => void;
}

interface CardFieldsProps {
  ref: Ref<CardFieldsHandle>;
  hostedFields: HostedFields;
  showMissing: boolean;
  /** What works without the fields. */
  fallbackHint?: string;
}

/** The provider's card fields, or the loading or error state of its script. */
export function CardFields(props: CardFieldsProps) {
  const { instance, isFailed, retry } = useChargebee();
  const [attempt, setAttempt] = useState(0);
  const reload = () => {
    props.hostedFields.resetFields();
    setAttempt(attempt + 1);
    retry();
  };
  if (isFailed) return <ProviderFailure fallbackHint={props.fallbackHint} onRetry={reload} />;
  if (!instance) return <CardFieldsSkeleton />;
  return (
    <LoadedFields
      key={attempt}
      load={() => instance.load('components')}
      onRetry={reload}
      {...props}
    />
  );
}

/**
 * The loading state of the fields. Their frames can fail to load even after the script has loaded.
 */
function useFieldsLoading(load: () => Promise<unknown>, isReady: boolean) {
  const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading');
  const module = useRef(load);
  useEffect(() => {
    let isUnmounted = false;
    const updateState = (next: typeof state) => {
      if (!isUnmounted) setState(next);
    };
    // The wrapper neither renders nor reports anything if this fails.
    withTimeout(SCRIPT_TIMEOUT_MS, module.current()).then(
      () => updateState('loaded'),
      () => updateState('failed'),
    );
    return () => {
      isUnmounted = true;
    };
  }, []);
  useEffect(() => {
    if (state !== 'loaded' || isReady) return;
    const timer = setTimeout(() => setState('failed'), SCRIPT_TIMEOUT_MS);
    return () => clearTimeout(timer);
  }, [state, isReady]);
  return state;
}

interface LoadedFieldsProps extends CardFieldsProps {
  load: () => Promise<unknown>;
  onRetry: () => void;
}

function LoadedFields({
  ref,
  hostedFields,
  showMissing,
  fallbackHint,
  load,
  onRetry,
}: LoadedFieldsProps) {
  const isReady = HOSTED_FIELD_KINDS.every((kind) => hostedFields.states[kind].isReady);
  const state = useFieldsLoading(load, isReady);
  const fieldStyles = useHostedFieldStyles();
  const card = useRef<ComponentRef<typeof CardComponent>>(null);
  const fields = useRef<Partial<Record<HostedFieldKind, Focusable | null>>>({});
  useImperativeHandle(ref, () => ({
    focus: (kind) => fields.current[kind]?.focus(),
    authorize: async (intent, owner) => {
      if (!card.current) throw new Error('The card fields haven’t loaded yet.');
      // The wrapper types the intent as complete, and passes it on as it is.
      return withTimeout(
        AUTHORIZATION_TIMEOUT_MS,
        card.current.authorizeWith3ds(intent as never, { billingAddress: owner }, {}),
      );
    },
  }));
  if (state === 'failed') return <ProviderFailure fallbackHint={fallbackHint} onRetry={onRetry} />;
  if (state === 'loading') return <CardFieldsSkeleton />;
  return (
    <>
      <VisuallyHidden>
        <span role="status">{!isReady && 'Loading the secure card fields…'}</span>
      </VisuallyHidden>
      <CardComponent ref={card} styles={fieldStyles} className={styles.hosted}>
        {HOSTED_FIELD_KINDS.map((kind) => (
          <HostedField
            key={kind}
            ref={(field) => {
              fields.current[kind] = field;
            }}
            kind={kind}
            hostedFields={hostedFields}
            showMissing={showMissing}
          />
        ))}
      </CardComponent>
    </>
  );
}

/** The placeholder for the provider's fields. */
function CardFieldsSkeleton() {
  return (
    <div className={styles.hosted}>
      {HOSTED_FIELD_KINDS.map((kind) => (
        <div key={kind} className={fieldStyles.field}>
          <span className={fieldStyles.label}>{HOSTED_FIELD_LABELS[kind]}</span>
          <Skeleton height="3.25rem" radius="box" />
        </div>
      ))}
      <VisuallyHidden>
        <span role="status">Loading the secure card fields…</span>
      </VisuallyHidden>
    </div>
  );
}
