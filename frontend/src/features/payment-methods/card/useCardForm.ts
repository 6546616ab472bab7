import { type FormEvent, type RefObject, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { readPlanOrder } from '@/domain/plans/planAddresses';
import { type ChangeRequest, createPaymentIntent } from '@/features/payment-methods/shared/api';
import {
  type AuthorizationFailure,
  describeAuthorizationFailure,
} from '@/features/payment-methods/shared/bankAuthorization';
import { navigateToSuccess } from '@/features/payment-methods/shared/successNavigation';
import {
  type EditedSource,
  useReturnToList,
} from '@/features/payment-methods/shared/useEditedSource';
import { usePaymentChange } from '@/features/payment-methods/shared/usePaymentChange';
import { changeFailureMessage, hasCode, isUnconfirmed } from '@/lib/api/errors';
import { createIdempotencyKey, sendUntilSettled } from '@/lib/api/useCommand';
import { showSnackbar } from '@/stores/snackbar';
import type { CardFieldsHandle } from './CardFields';
import { HOSTED_FIELD_KINDS } from './hostedFields';
import { type DetailName, useCardDetails } from './useCardDetails';
import { useHostedFields } from './useHostedFields';

const FIELDS_MISSING =
  'The secure card fields haven’t loaded yet. Wait a moment, or reload them above.';

type Owner = Pick<ChangeRequest, 'firstName' | 'lastName' | 'billingState' | 'billingZip'>;

/**
 * Builds the request, with an authorized intent unless `fields` is undefined; null `fields` have
 * not loaded. Throws the error of the API or of the provider's script.
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
  const key = createIdempotencyKey();
  const intent = await sendUntilSettled(() => createPaymentIntent({ paymentsource: 'CARD' }, key));
  const { firstName, lastName, billingState: state, billingZip: zip } = owner;
  // The bank may answer minutes later, when this tab has another subscriber's session.
  const authorized = await sendUntilSettled(() =>
    fields.authorize(intent, { firstName, lastName, state, zip }),
  );
  return { ...request, token: authorized.id };
}

function describeFailure(error: Error): AuthorizationFailure {
  return { message: changeFailureMessage(error), tone: isUnconfirmed(error) ? 'info' : 'error' };
}

/**
 * The state of the card form. On submit it validates the fields, has the provider and the card's
 * bank authorize an intent with the number, and saves the card. An update without a new number skips
 * the provider.
 */
export function useCardForm(
  edited: EditedSource,
  newOwner: string,
  fields: RefObject<CardFieldsHandle | null>,
  focus: (name: DetailName) => void,
) {
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const returnToList = useReturnToList();
  const details = useCardDetails(edited.source, newOwner);
  const hostedFields = useHostedFields();
  const [showMissing, setShowMissing] = useState(false);
  const [sentContent, setSentContent] = useState<string | null>(null);
  const [isAuthorizing, setAuthorizing] = useState(false);
  const [failure, setFailure] = useState<AuthorizationFailure | null>(null);

  const change = usePaymentChange({
    onDone: (answer, request) => navigateToSuccess(navigate, readPlanOrder(query), answer, request),
    onRefused: (error) => {
      if (hasCode(error, 'not_found')) return returnToList(changeFailureMessage(error));
      if (hasCode(error, 'validation_error') && error.fields)
        details.showServerProblems(error.fields);
      setFailure(describeFailure(error));
    },
  });

  const needsIntent =
    edited.operationType === 'ADD' ||
    HOSTED_FIELD_KINDS.some((kind) => !hostedFields.states[kind].isEmpty);

  const content = JSON.stringify([details.typed, hostedFields.edits]);
  const send = async () => {
    setAuthorizing(true);
    setSentContent(content);
    try {
      change.submit(
        await buildRequest(edited, details.readOwner(), needsIntent ? fields.current : undefined),
      );
    } catch (error) {
      const ended = describeAuthorizationFailure(error, 'new card');
      showSnackbar(ended.message, ended.tone === 'error' ? 'error' : 'warning');
      setFailure(ended);
    } finally {
      setAuthorizing(false);
    }
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Ignores a submit after success, while the next screen loads.
    if (isAuthorizing || change.command.isPending || change.command.isSuccess) return;
    setFailure(null);
    // The outcome is unknown, so the same request is sent again instead of one with a new intent.
    if (change.unsettled && content === sentContent) return change.command.mutate(change.unsettled);
    const missing = details.findFirstProblem();
    const unfinished =
      needsIntent && HOSTED_FIELD_KINDS.find((kind) => !hostedFields.states[kind].isComplete);
    setShowMissing(needsIntent);
    // The provider's fields are between the name and the other details.
    if (missing === 'name') focus(missing);
    else if (unfinished && fields.current) fields.current.focus(unfinished);
    else if (missing) focus(missing);
    else void send();
  };

  return {
    details,
    hostedFields,
    change,
    failure,
    submit,
    isAuthorizing: isAuthorizing && needsIntent,
    showMissing: showMissing && needsIntent,
    isBusy: isAuthorizing || change.command.isPending,
  };
}
