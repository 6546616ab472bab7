import type { CancelScreen } from '@/lib/api/types';

/** The words of a pause offer. */
interface OfferWords {
  heading: string;
  text: string;
}

const DEFAULT_OFFER: OfferWords = {
  heading: 'Take a break',
  text: 'Stay for a little longer? Keep your account and data. You won’t get billed for a month.',
};

/** The first of the operators' offers that fits the survey's reason; the portal's own without one. */
export function findPauseOffer(offers: CancelScreen['pauseOffers'], reason: string): OfferWords {
  return offers.find((offer) => offer.reason === '' || offer.reason === reason) ?? DEFAULT_OFFER;
}
