import { type FormEvent, type RefObject, useState } from 'react';
import { useNavigate } from 'react-router-dom';

import { hasCode, isUnconfirmed } from '@/lib/errors';
import { notify } from '@/stores/snackbar';
import { tellSuccess } from './afterwards';
import type { Order } from './api';
import type { CardFieldsHandle } from './CardFields';
import { HOSTED_KINDS } from './hostedFields';
import { type DetailName, useCardDetails } from './useCardDetails';
import { type Edited, useToTheList } from './useEdited';
import { useHostedStates } from './useHostedStates';
import { usePaymentChange } from './usePaymentChange';
import { failureWords, providerWords } from './words';

const FIELDS_MISSING =
  'The secure card fields are not there yet. Wait a moment, or load them again above.';

interface Failure {
  words: string;
  tone: 'info' | 'error';
}

type Owner = Pick<Order, 'firstName' | 'lastName' | 'billingState' | 'billingZip'>;

/**
 * What is asked of the portal: with a token for what stands in the provider's fields, null where these
 * are not there; without one where they are left alone. Throws what the provider refuses it with.
 */
async function orderOf(
  { operationType, source }: Edited,
  owner: Required<Owner>,
  fields: CardFieldsHandle | null | undefined,
): Promise<Order> {
  const id = source && { paymentSourceId: source.paymentSourceId };
  const asked: Order = { operationType, paymentsource: 'CARD', ...id, ...owner };
  if (fields === undefined) return asked;
  if (fields === null) throw new Error(FIELDS_MISSING);
  const { firstName, lastName, billingState: state, billingZip: zip } = owner;
  return { ...asked, token: await fields.tokenize({ firstName, lastName, state, zip }) };
}

function failureOf(error: Error): Failure {
  return { words: failureWords(error), tone: isUnconfirmed(error) ? 'info' : 'error' };
}

/**
 * A card's form: what is typed is checked, the provider exchanges the number for a token, and the portal
 * is asked to keep it. An update without a number asks the provider for nothing.
 */
export function useCardForm(
  edited: Edited,
  fields: RefObject<CardFieldsHandle | null>,
  focus: (name: DetailName) => void,
) {
  const navigate = useNavigate();
  const toTheList = useToTheList();
  const details = useCardDetails(edited.source);
  const hosted = useHostedStates();
  const [insisted, setInsisted] = useState(false);
  const [sent, setSent] = useState<string | null>(null);
  const [isTokenizing, setTokenizing] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);

  const change = usePaymentChange({
    onDone: (answer, order) => tellSuccess(navigate, answer, order),
    onRefused: (error) => {
      if (hasCode(error, 'not_found')) return toTheList(failureWords(error));
      if (hasCode(error, 'validation_error') && error.fields) details.refuse(error.fields);
      setFailure(failureOf(error));
    },
  });

  const needsToken =
    edited.operationType === 'ADD' || HOSTED_KINDS.some((kind) => !hosted.states[kind].isEmpty);

  const content = JSON.stringify([details.typed, hosted.edits]);
  const send = async () => {
    setTokenizing(true);
    setSent(content);
    try {
      change.submit(
        await orderOf(edited, details.owner(), needsToken ? fields.current : undefined),
      );
    } catch (error) {
      const words = providerWords(error);
      notify(words, 'error');
      setFailure({ words, tone: 'error' });
    } finally {
      setTokenizing(false);
    }
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    // What is done is not done again while the next screen is on its way.
    if (isTokenizing || change.command.isPending || change.command.isSuccess) return;
    setFailure(null);
    // Nobody knows how it ended: the same card is asked about again, and not exchanged for another token.
    if (change.unsettled && content === sent) return change.command.mutate(change.unsettled);
    const missing = details.check();
    const unfinished = needsToken && HOSTED_KINDS.find((kind) => !hosted.states[kind].isComplete);
    setInsisted(needsToken);
    if (missing) focus(missing);
    else if (unfinished && fields.current) fields.current.focus(unfinished);
    else void send();
  };

  return {
    details,
    hosted,
    change,
    failure,
    submit,
    insisted: insisted && needsToken,
    isBusy: isTokenizing || change.command.isPending,
  };
}
