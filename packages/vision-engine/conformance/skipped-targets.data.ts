/** Targets that are not replayed, each with the reason. Together at most 5 % of all records. */
export const SKIPPED_TARGETS: Readonly<Record<string, string>> = {
  "engine.get_empty_batch_elements_indices":
    "elements without a value are noted while inputs are gathered, by their place: there are no sets of indices",
  "engine.intersect_masks_per_dimension":
    "a gate also decides on what is deeper than it looks: masks of one depth are never met alone (openElements)",
  "sv.get_data_item": "indexing of NumPy arrays: rows are taken by selectRows",
  "sv.filter_segments_by_distance": "no block drops parts of a mask by their distance",
  "sv.process_roboflow_result":
    "the reader of supervision alone; workflows read predictions by other rules (deserializers)",
  "sv.resolve_color_idx": "the engine has no palette index: createPalette gives the colour itself",
};
