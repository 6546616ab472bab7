import { useQuery } from '@tanstack/react-query';
import { isKidsPlan } from '@/domain/plans/plans';
import type { PauseOffer } from '@/lib/api/types';
import { findLoadFailure } from '@/lib/api/useScreenLoad';
import { ButtonAnchor } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { ErrorState } from '@/ui/ErrorState';
import { Poster } from '@/ui/Poster';
import { Skeleton } from '@/ui/Skeleton';
import { VisuallyHidden } from '@/ui/VisuallyHidden';
import { pauseOfferOptions } from './api';
import { CancelInsteadLink } from './CancelInsteadLink';
import styles from './ServiceOffers.module.css';
import { recommendedTitles, type Title, upcomingTitles } from './titles';

interface ServiceOffersProps {
  /** Whether there is a subscription to cancel. */
  canCancel: boolean;
}

/** Recommended and upcoming titles of each service. */
export function ServiceOffers({ canCancel }: ServiceOffersProps) {
  const offers = useQuery(pauseOfferOptions);
  const failure = findLoadFailure(offers);
  if (failure) return <ErrorState {...failure} />;
  if (!offers.data) return <Skeleton height="24rem" radius="box" />;
  return offers.data.map((offer) => (
    <ServiceOffer key={offer.id} offer={offer} canCancel={canCancel} />
  ));
}

function ServiceOffer({ offer, canCancel }: ServiceOffersProps & { offer: PauseOffer }) {
  const headingId = `offer-${offer.id}`;
  return (
    <Card as="section" labelledBy={headingId} className={styles.offer}>
      <h2 id={headingId}>{offer.name}</h2>
      <TitleBlock
        heading="Watch Some Our Favorites Before You Go"
        titles={recommendedTitles(offer)}
        offer={offer}
        canCancel={canCancel}
        columns="four"
      />
      {!isKidsPlan(offer) && (
        <TitleBlock
          heading="Don't Miss These Upcoming Favorites!"
          titles={upcomingTitles(offer)}
          offer={offer}
          canCancel={canCancel}
          columns="three"
        />
      )}
    </Card>
  );
}

interface TitleBlockProps extends ServiceOffersProps {
  heading: string;
  titles: readonly Title[];
  offer: PauseOffer;
  columns: 'three' | 'four';
}

/** A block of titles with links to watch or to cancel; nothing if operators have set no titles. */
function TitleBlock({ heading, titles, offer, canCancel, columns }: TitleBlockProps) {
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
      <div className={styles.actions}>
        {offer.browseUrl && (
          <ButtonAnchor variant="secondary" href={offer.browseUrl}>
            RETURN TO WATCHING
            <VisuallyHidden> {offer.name}</VisuallyHidden>
          </ButtonAnchor>
        )}
        {canCancel && (
          <CancelInsteadLink variant="secondary">
            No thanks, please cancel my subscription.
          </CancelInsteadLink>
        )}
      </div>
    </div>
  );
}
