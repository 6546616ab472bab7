import { CardComponent } from '@chargebee/chargebee-js-react-wrapper';
import {
  type ComponentRef,
  type Ref,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';

import { SCRIPT_TIMEOUT_MS } from '@/lib/chargebeeScript';
import { VisuallyHidden } from '@/ui/VisuallyHidden';
import { FieldsAwaited } from './FieldsAwaited';
import { type Focusable, HostedField } from './HostedField';
import { HOSTED_KINDS, type HostedKind } from './hostedFields';
import styles from './PaymentForm.module.css';
import { ProviderFailure } from './ProviderFailure';
import { useChargebee } from './useChargebee';
import { useFieldLook } from './useFieldLook';
import type { Hosted } from './useHostedStates';
import { within } from './within';

/** Whose card it is, in the provider's words. */
interface CardOwner {
  firstName: string;
  lastName: string;
  state: string;
  zip: string;
}

export interface CardFieldsHandle {
  /** Exchanges what was typed for a token. Rejects with what is to be said about it. */
  tokenize: (owner: CardOwner) => Promise<string>;
  focus: (kind: HostedKind) => void;
}

interface CardFieldsProps {
  ref: Ref<CardFieldsHandle>;
  hosted: Hosted;
  insisted: boolean;
  /** What can be done without the fields. */
  meanwhile?: string;
}

/** The provider's card fields, as soon as its script is there; else what keeps them from being there. */
export function CardFields(props: CardFieldsProps) {
  const { instance, isFailed, retry } = useChargebee();
  const [attempt, setAttempt] = useState(0);
  const again = () => {
    props.hosted.forget();
    setAttempt(attempt + 1);
    retry();
  };
  if (isFailed) return <ProviderFailure meanwhile={props.meanwhile} onRetry={again} />;
  if (!instance) return <FieldsAwaited />;
  return (
    <LoadedFields
      key={attempt}
      load={() => instance.load('components')}
      onRetry={again}
      {...props}
    />
  );
}

/** How far the fields are: their frames may stay away although the script has come. */
function useFieldsState(load: () => Promise<unknown>, isReady: boolean) {
  const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading');
  const module = useRef(load);
  useEffect(() => {
    let isLeft = false;
    const become = (next: typeof state) => {
      if (!isLeft) setState(next);
    };
    // The wrapper draws nothing, and says nothing, where this fails.
    within(SCRIPT_TIMEOUT_MS, module.current()).then(
      () => become('loaded'),
      () => become('failed'),
    );
    return () => {
      isLeft = true;
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

function LoadedFields({ ref, hosted, insisted, meanwhile, load, onRetry }: LoadedFieldsProps) {
  const isReady = HOSTED_KINDS.every((kind) => hosted.states[kind].isReady);
  const state = useFieldsState(load, isReady);
  const look = useFieldLook();
  const card = useRef<ComponentRef<typeof CardComponent>>(null);
  const fields = useRef<Partial<Record<HostedKind, Focusable | null>>>({});
  useImperativeHandle(ref, () => ({
    focus: (kind) => fields.current[kind]?.focus(),
    tokenize: async (owner) => {
      if (!card.current) throw new Error('The card fields are not there yet.');
      const exchanged: Promise<{ token: string }> = card.current.tokenize(owner);
      const { token } = await within(2 * SCRIPT_TIMEOUT_MS, exchanged);
      return token;
    },
  }));
  if (state === 'failed') return <ProviderFailure meanwhile={meanwhile} onRetry={onRetry} />;
  if (state === 'loading') return <FieldsAwaited />;
  return (
    <>
      <VisuallyHidden>
        <span role="status">{!isReady && 'Loading the secure card fields…'}</span>
      </VisuallyHidden>
      <CardComponent ref={card} styles={look} className={styles.hosted}>
        {HOSTED_KINDS.map((kind) => (
          <HostedField
            key={kind}
            ref={(field) => {
              fields.current[kind] = field;
            }}
            kind={kind}
            hosted={hosted}
            insisted={insisted}
          />
        ))}
      </CardComponent>
    </>
  );
}
