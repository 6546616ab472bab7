import type { PauseOffer } from '@/lib/api/types';

/** A title's picture with its text alternative. */
export interface Title {
  image: string;
  alt: string;
  caption: string | null;
}

/** The recommended titles of a service, without those that have no picture. */
export function recommendedTitles(offer: PauseOffer): Title[] {
  const titles = [
    { image: offer.recommendedTitleImage1, text: offer.recommendedTitleText1 },
    { image: offer.recommendedTitleImage2, text: offer.recommendedTitleText2 },
    { image: offer.recommendedTitleImage3, text: offer.recommendedTitleText3 },
    { image: offer.recommendedTitleImage4, text: offer.recommendedTitleText4 },
  ].flatMap(({ image, text }) => (image === null ? [] : [{ image, text }]));
  return titles.map(({ image, text }, index) => ({
    image,
    alt: text || `A favorite on ${offer.name}, ${index + 1} of ${titles.length}`,
    caption: null,
  }));
}

/** The upcoming titles of a service, without those that have no picture. */
export function upcomingTitles(offer: PauseOffer): Title[] {
  const titles = [
    { image: offer.upcomingTitleImage1, caption: offer.upcomingImageText1 },
    { image: offer.upcomingTitleImage2, caption: offer.upcomingImageText2 },
    { image: offer.upcomingTitleImage3, caption: offer.upcomingImageText3 },
  ];
  return titles.flatMap(({ image, caption }, index) =>
    image === null
      ? []
      : [{ image, caption, alt: `Coming to ${offer.name}, ${index + 1} of ${titles.length}` }],
  );
}
