// Imported before pictures are decoded. libvips reads more than cameras send, SVG and the files that it names among it;
// what is blocked here is blocked in the whole process.
import sharp from "sharp";

sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["Jpeg", "Png", "Webp", "Nsgif", "Tiff", "Heif"].map((format) => `VipsForeignLoad${format}`),
});
