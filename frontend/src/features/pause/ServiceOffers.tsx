import { useQuery } from '@tanstack/react-query';
import { IDS_PARAMETER } from '@/domain/plans/planAddresses';
import { canBeCancelled, isKidsPlan } from '@/domain/plans/plans';
import type { PauseOffer, Plan } from '@/lib/api/types';
import { findLoadFailure } from '@/lib/api/useScreenLoad';
import { useIdsInUrl } from '@/lib/hooks/useIdsInUrl';
import { ButtonAnchor } from '@/ui/buttons/Button';
import { Poster } from '@/ui/display/Poster';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { ChevronDownIcon } from '@/ui/icons/ChevronDownIcon';
import { Card } from '@/ui/layout/Card';
import { Skeleton } from '@/ui/loading/Skeleton';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import { pauseOfferOptions } from './api';
import { CancelInsteadLink } from './CancelInsteadLink';
import styles from './ServiceOffers.module.css';
import { recommendedTitles, type Title, upcomingTitles } from './titles';

interface ServiceOffersProps {
  /** The current plans. */
  held: readonly Plan[];
}

/**
 * Recommended and upcoming titles of each service. Those of the plans that the URL selects come
 * first, and the others are folded.
 */
export function ServiceOffers({ held }: ServiceOffersProps) {
  const offers = useQuery(pauseOfferOptions);
  const [idsInUrl] = useIdsInUrl(IDS_PARAMETER);
  const failure = findLoadFailure(offers);
  if (failure) return <ErrorState {...failure} />;
  if (!offers.data) return <Skeleton height="24rem" radius="box" />;
  const planIds = held.filter(({ subId }) => idsInUrl.includes(subId)).map(({ id }) => id);
  const selected = offers.data.filter(({ id }) => planIds.includes(id));
  const folded = selected.length > 0 ? offers.data.filter(({ id }) => !planIds.includes(id)) : [];
  const canCancel = held.some(canBeCancelled);
  return (
    <>
      {(selected.length > 0 ? selected : offers.data).map((offer) => (
        <ServiceOffer key={offer.id} offer={offer} canCancel={canCancel} />
      ))}
      {folded.map((offer) => (
        <FoldedOffer key={offer.id} offer={offer} canCancel={canCancel} />
      ))}
    </>
  );
}

interface ServiceOfferProps {
  offer: PauseOffer;
  /** Whether there is a subscription to cancel. */
  canCancel: boolean;
}

function ServiceOffer({ offer, canCancel }: ServiceOfferProps) {
  const headingId = `offer-${offer.id}`;
  return (
    <Card as="section" labelledBy={headingId} className={styles.offer}>
      <h2 id={headingId}>{offer.name}</h2>
      <TitleBlocks offer={offer} canCancel={canCancel} />
    </Card>
  );
}

function FoldedOffer({ offer, canCancel }: ServiceOfferProps) {
  return (
    <Card>
      <details className={styles.folded}>
        <summary>
          <h2>{offer.name}</h2>
          <ChevronDownIcon />
        </summary>
        <div className={styles.offer}>
          <TitleBlocks offer={offer} canCancel={canCancel} />
        </div>
      </details>
    </Card>
  );
}

function TitleBlocks({ offer, canCancel }: ServiceOfferProps) {
  return (
    <>
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
    </>
  );
}

interface TitleBlockProps extends ServiceOfferProps {
  heading: string;
  titles: readonly Title[];
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
          <ButtonAnchor variant="secondary" href={offer.browseUrl} block>
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
