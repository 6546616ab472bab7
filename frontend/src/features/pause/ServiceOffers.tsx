import { useQuery } from '@tanstack/react-query';

import type { PauseOffer } from '@/lib/api/types';
import { isKidsPlan } from '@/lib/plans';
import { loadFailure } from '@/lib/screenLoad';
import { ButtonAnchor } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { Poster } from '@/ui/Poster';
import { Skeleton } from '@/ui/Skeleton';
import { ErrorState } from '@/ui/States';
import { VisuallyHidden } from '@/ui/VisuallyHidden';
import { pauseOfferOptions } from './api';
import { CancelInstead } from './CancelInstead';
import styles from './ServiceOffers.module.css';
import { recommendedTitles, type Title, upcomingTitles } from './titles';

/** What is worth staying for, service by service. */
export function ServiceOffers() {
  const offers = useQuery(pauseOfferOptions);
  const failure = loadFailure(offers);
  if (failure) return <ErrorState {...failure} />;
  if (!offers.data) return <Skeleton height="24rem" radius="box" />;
  return offers.data.map((offer) => <ServiceOffer key={offer.id} offer={offer} />);
}

function ServiceOffer({ offer }: { offer: PauseOffer }) {
  const headingId = `offer-${offer.id}`;
  return (
    <Card as="section" labelledBy={headingId} className={styles.offer}>
      <h2 id={headingId}>{offer.name}</h2>
      <Titles
        heading="Watch Some Our Favorites Before You Go"
        titles={recommendedTitles(offer)}
        offer={offer}
        columns="four"
      />
      {!isKidsPlan(offer) && (
        <Titles
          heading="Don't Miss These Upcoming Favorites!"
          titles={upcomingTitles(offer)}
          offer={offer}
          columns="three"
        />
      )}
    </Card>
  );
}

interface TitlesProps {
  heading: string;
  titles: readonly Title[];
  offer: PauseOffer;
  columns: 'three' | 'four';
}

/** One block of titles with the ways back to watching and on to cancelling; nothing where operators have set none. */
function Titles({ heading, titles, offer, columns }: TitlesProps) {
  if (titles.length === 0) return null;
  return (
    <div className={styles.block}>
      <h3>{heading}</h3>
      <ul className={`${styles.titles} ${styles[columns]}`}>
        {titles.map((title) => (
          <li key={title.image}>
            <Poster src={title.image} alt={title.alt} caption={title.caption} />
          </li>
        ))}
      </ul>
      <div className={styles.ways}>
        {offer.browseUrl && (
          <ButtonAnchor variant="secondary" href={offer.browseUrl}>
            RETURN TO WATCHING
            <VisuallyHidden> {offer.name}</VisuallyHidden>
          </ButtonAnchor>
        )}
        <CancelInstead variant="secondary">No thanks, please cancel my subscription.</CancelInstead>
      </div>
    </div>
  );
}
