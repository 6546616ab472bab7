import { formatCents } from '@/lib/formats';
import { paths } from '@/lib/paths';

/** What the summary can be about, as its address says it. */
const ACTIONS = [
  'upgrade',
  'downgrade',
  'downgrade_with_trial',
  'adjust_subscription',
  'remove_service',
  'coupon',
] as const;

export type SummaryAction = (typeof ACTIONS)[number];

export function summaryAddress(action: SummaryAction): string {
  return `${paths.summary}?action=${action}`;
}

/** The action an address names; null for none and for one that is not known. */
export function summaryAction(query: URLSearchParams): SummaryAction | null {
  const named = query.get('action')?.toLowerCase();
  return ACTIONS.find((action) => action === named) ?? null;
}

/** What was done, in sentences, as it travels to the summary in the navigation's state. */
interface Said {
  said: string[];
}

/** Adds what was charged to what was done. The provider may make a change and leave its invoice unpaid. */
export function toSaid(
  sentences: readonly string[],
  { dueNow, hasPaymentFailure }: { dueNow: number; hasPaymentFailure: boolean },
): Said {
  if (dueNow === 0) return { said: [...sentences] };
  const paid = hasPaymentFailure
    ? `The payment of ${formatCents(dueNow)} has not gone through yet.`
    : `${formatCents(dueNow)} was charged today.`;
  return { said: [...sentences, paid] };
}

/** The sentences a navigation's state brings along; it may be anything. */
export function saidIn(state: unknown): string[] {
  const { said } = (state ?? {}) as Partial<Said>;
  return Array.isArray(said) ? said.filter((one) => typeof one === 'string') : [];
}
