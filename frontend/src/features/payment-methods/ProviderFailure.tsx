import { ErrorState } from '@/ui/States';

interface ProviderFailureProps {
  /** What can be done all the same. */
  meanwhile?: string;
  onRetry: () => void;
}

/** What the provider's part of a page is missing, why that may be, and the way to ask for it again. */
export function ProviderFailure({ meanwhile = '', onRetry }: ProviderFailureProps) {
  return (
    <ErrorState
      title="The secure payment form didn’t load"
      message={`It comes from our billing provider. A slow connection, or a browser extension that blocks it, can keep it away. ${meanwhile}`}
      onRetry={onRetry}
    />
  );
}
