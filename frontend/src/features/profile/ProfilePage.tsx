import { useQuery } from '@tanstack/react-query';

import type { Profile } from '@/lib/api/types';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { paths } from '@/lib/paths';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { PersonIcon } from '@/ui/icons/PersonIcon';
import { Card } from '@/ui/layout/Card';
import { Columns } from '@/ui/layout/Columns';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { Skeleton } from '@/ui/loading/Skeleton';
import { SkeletonFields } from '@/ui/loading/SkeletonFields';
import { BackLink } from '@/ui/navigation/TextLink';
import { profileOptions } from './api';
import { ProfileForm } from './ProfileForm';
import styles from './ProfilePage.module.css';
import { Sessions } from './Sessions';
import { YourData } from './YourData';

/** The profile, the sessions, and the data export. */
export default function ProfilePage() {
  const profile = useQuery(profileOptions);
  const failure = useScreenLoad(profile);
  return (
    <Page width="wide">
      <BackLink to={paths.dashboard} />
      <PageHeading>Your Profile</PageHeading>
      <Columns
        aside={
          <>
            <Sessions />
            <YourData />
          </>
        }
      >
        {failure && (
          <Card>
            <ErrorState {...failure} />
          </Card>
        )}
        {!failure && !profile.data && <ProfileSkeleton />}
        {profile.data && (
          <>
            <ProfileHeader profile={profile.data} />
            <Card>
              <ProfileForm saved={profile.data} />
            </Card>
          </>
        )}
      </Columns>
    </Page>
  );
}

/** Name and email address; only the address if no name is set. */
function ProfileHeader({ profile: { firstName, lastName, email } }: { profile: Profile }) {
  const name = `${firstName} ${lastName}`.trim();
  return (
    <Card className={styles.who}>
      <span className={styles.portrait}>
        <PersonIcon />
      </span>
      <div className={styles.person}>
        {name && <p className={styles.name}>{name}</p>}
        <p className={styles.email}>{email}</p>
      </div>
    </Card>
  );
}

function ProfileSkeleton() {
  return (
    <>
      <Card className={styles.who}>
        <Skeleton width="3.5rem" height="3.5rem" radius="pill" />
        <Skeleton width="12rem" height="1.5rem" />
      </Card>
      <Card>
        <SkeletonFields fields={4} />
      </Card>
    </>
  );
}
