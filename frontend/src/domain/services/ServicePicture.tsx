import { PlayIcon } from '@/ui/icons/PlayIcon';
import styles from './ServicePicture.module.css';

interface ServicePictureProps {
  /** Null shows a plain icon instead. */
  src: string | null;
  /** Width and height in px. */
  size?: number;
}

/** A service's square picture. Decorative, because the service's name stands beside it. */
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
