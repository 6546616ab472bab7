import type { PaymentSource } from '@/lib/api/types';
import type { Tone } from '@/ui/StatusPill';

const STATUSES: Partial<Record<string, { words: string; tone: Tone }>> = {
  EXPIRING: { words: 'Expires soon', tone: 'warning' },
  EXPIRED: { words: 'Expired', tone: 'danger' },
  INVALID: { words: 'Can’t be charged', tone: 'danger' },
  PENDING_VERIFICATION: { words: 'Being verified', tone: 'neutral' },
};

/** What is the matter with a payment method; nothing with most. */
export function methodStatus({ status }: Pick<PaymentSource, 'status'>) {
  return STATUSES[status ?? ''] ?? null;
}
