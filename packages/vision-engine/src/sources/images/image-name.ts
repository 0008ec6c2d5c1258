/** File names that are taken for pictures. */
export const IMAGE_NAME = /\.(?:jpe?g|png|webp|gif|tiff?|avif)$/i;
