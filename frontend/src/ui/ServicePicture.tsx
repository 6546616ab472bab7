import { PlayIcon } from '@/ui/icons/PlayIcon';
import styles from '@/ui/ServicePicture.module.css';

interface ServicePictureProps {
  /** Without one its place is held by a plain mark. */
  src: string | null;
  /** Side in px. */
  size?: number;
}

/** A service's square picture. Decoration: the service's name stands beside it. */
export function ServicePicture({ src, size = 56 }: ServicePictureProps) {
  if (src === null) {
    return (
      <span className={styles.mark} style={{ width: size, height: size }}>
        <PlayIcon />
      </span>
    );
  }
  return <img src={src} alt="" width={size} height={size} className={styles.picture} />;
}
