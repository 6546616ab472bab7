import { type FormEvent, type RefObject, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import type { ChangeRequest } from '@/features/payment-methods/shared/api';
import { failureMessage, providerErrorMessage } from '@/features/payment-methods/shared/messages';
import { navigateToSuccess } from '@/features/payment-methods/shared/successNavigation';
import {
  type EditedSource,
  useReturnToList,
} from '@/features/payment-methods/shared/useEditedSource';
import { usePaymentChange } from '@/features/payment-methods/shared/usePaymentChange';
import { hasCode, isUnconfirmed } from '@/lib/api/errors';
import { showSnackbar } from '@/stores/snackbar';
import type { CardFieldsHandle } from './CardFields';
import { HOSTED_FIELD_KINDS } from './hostedFields';
import { type DetailName, useCardDetails } from './useCardDetails';
import { useHostedFields } from './useHostedFields';

const FIELDS_MISSING =
  'The secure card fields haven’t loaded yet. Wait a moment, or reload them above.';

interface Failure {
  message: string;
  tone: 'info' | 'error';
}

type Owner = Pick<ChangeRequest, 'firstName' | 'lastName' | 'billingState' | 'billingZip'>;

/**
 * Builds the request, with a token unless `fields` is undefined; null `fields` have not loaded.
 * Throws the provider's error.
 */
async function buildRequest(
  { operationType, source }: EditedSource,
  owner: Required<Owner>,
  fields: CardFieldsHandle | null | undefined,
): Promise<ChangeRequest> {
  const id = source && { paymentSourceId: source.paymentSourceId };
  const request: ChangeRequest = { operationType, paymentsource: 'CARD', ...id, ...owner };
  if (fields === undefined) return request;
  if (fields === null) throw new Error(FIELDS_MISSING);
  const { firstName, lastName, billingState: state, billingZip: zip } = owner;
  return { ...request, token: await fields.tokenize({ firstName, lastName, state, zip }) };
}

function describeFailure(error: Error): Failure {
  return { message: failureMessage(error), tone: isUnconfirmed(error) ? 'info' : 'error' };
}

/**
 * The state of the card form. On submit it validates the fields, has the provider exchange the
 * number for a token, and saves the card. An update without a new number skips the provider.
 */
export function useCardForm(
  edited: EditedSource,
  fields: RefObject<CardFieldsHandle | null>,
  focus: (name: DetailName) => void,
) {
  const navigate = useNavigate();
  const returnToList = useReturnToList();
  const details = useCardDetails(edited.source);
  const hostedFields = useHostedFields();
  const [showMissing, setShowMissing] = useState(false);
  const [sentContent, setSentContent] = useState<string | null>(null);
  const [isTokenizing, setTokenizing] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);

  const change = usePaymentChange({
    onDone: (answer, request) => navigateToSuccess(navigate, answer, request),
    onRefused: (error) => {
      if (hasCode(error, 'not_found')) return returnToList(failureMessage(error));
      if (hasCode(error, 'validation_error') && error.fields)
        details.showServerProblems(error.fields);
      setFailure(describeFailure(error));
    },
  });

  const needsToken =
    edited.operationType === 'ADD' ||
    HOSTED_FIELD_KINDS.some((kind) => !hostedFields.states[kind].isEmpty);

  const content = JSON.stringify([details.typed, hostedFields.edits]);
  const send = async () => {
    setTokenizing(true);
    setSentContent(content);
    try {
      change.submit(
        await buildRequest(edited, details.readOwner(), needsToken ? fields.current : undefined),
      );
    } catch (error) {
      const message = providerErrorMessage(error);
      showSnackbar(message, 'error');
      setFailure({ message, tone: 'error' });
    } finally {
      setTokenizing(false);
    }
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Ignores a submit after success, while the next screen loads.
    if (isTokenizing || change.command.isPending || change.command.isSuccess) return;
    setFailure(null);
    // The outcome is unknown, so the same request is sent again instead of one with a new token.
    if (change.unsettled && content === sentContent) return change.command.mutate(change.unsettled);
    const missing = details.findFirstProblem();
    const unfinished =
      needsToken && HOSTED_FIELD_KINDS.find((kind) => !hostedFields.states[kind].isComplete);
    setShowMissing(needsToken);
    if (missing) focus(missing);
    else if (unfinished && fields.current) fields.current.focus(unfinished);
    else void send();
  };

  return {
    details,
    hostedFields,
    change,
    failure,
    submit,
    showMissing: showMissing && needsToken,
    isBusy: isTokenizing || change.command.isPending,
  };
}
