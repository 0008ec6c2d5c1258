/** The skills of the first run, by path inside the workspace. Written once, never over what is there. */
export const DEFAULT_SKILLS: Readonly<Record<string, string>> = {
  "skills/ppe-compliance/SKILL.md": `---
name: ppe-compliance
description: Watch that people wear helmets, vests and other protective equipment.
---

# Protective equipment

## Before you begin
1. Which camera, and which equipment: helmet, vest, gloves, goggles?
2. Which model? One that was trained on such equipment knows classes like "helmet" and "no-helmet". Ask for its id
   ("workspace/project/version"), or look for it among the saved workflows of the person. The 80 everyday classes know
   people and no equipment: say so. Without a model, detect_zero_shot on single pictures is the next best, and approximate.
3. Look at the camera with capture_frame. People lower than about 60 pixels are too small for a helmet to be told: say so.

## Set up
- detection (classes of the equipment, confidence 0.5 to 0.6) → byte_tracker → detections_filter → boxes.
- The model has classes for what is missing ("no-helmet"): filter these. This is the pattern of the prompt.
- It has only "helmet" and "person": a second filter keeps people that contain no helmet; overlap@v1 and
  PickDetectionsByParentClass do that. Say that people seen from behind or cut by the edge are counted wrongly.
- max_fps 5 is enough: people do not change their helmets within a second.

## Telling
- Tell of a person once, not of each frame: the tracker gives ids, a cooldown of 60 seconds does the rest.
- Say the camera, the time, what is missing, and show the picture. Never name a person: the model does not know who it is.
`,
  "skills/parking-lot/SKILL.md": `---
name: parking-lot
description: Count vehicles in and out of a parking lot and tell how full it is or who stays too long.
---

# Parking lot

## Before you begin
1. What is wanted: vehicles through the gate, places that are taken, or vehicles that stay too long?
2. Look with capture_frame and note the size of the frame: lines and zones are pixels of it.

## Through the gate
- classes car, truck, bus, motorcycle → byte_tracker → line_counter across the lane, not along it.
- Put the line where vehicles are whole and move: not at the edge of the picture, not where they queue.
- Seen from the start of the line towards its end, "in" is to the left. Check it with the first vehicles and swap the
  ends when it is the wrong way round.
- How full: vehicles at the start + in − out. Ask for the number at the start; say that it drifts, and count anew at night.

## Places
- One zone for each row or place. Few places: a time_in_zone step for each zone. Count what stands in it.

## Too long
- byte_tracker → time_in_zone@v3 with the zone → detections_filter on time_in_zone above the limit in seconds.
- A vehicle that is hidden for long gets a new id and its time starts again: say so for hours, not for minutes.

## Telling
- Tell at a threshold (90 % full, 30 minutes), with a cooldown, and once a day the totals with schedule_task.
`,
  "skills/package-delivery/SKILL.md": `---
name: package-delivery
description: Notice that a package was delivered at a door, or that one was taken away.
---

# Packages

## Before you begin
1. Which camera sees the door, and where are packages put down? Look with capture_frame and take a zone around it.
2. The everyday classes have no "package". The nearest are suitcase, backpack and handbag. Better: a model of the
   person for packages, or detect_zero_shot with "cardboard box", "parcel". Say which one you use and how sure it is.

## Set up
- Delivered: something of these classes stays in the zone for more than 20 seconds while no person does. A person who
  walks by with a bag does not count.
- Taken: what was in the zone is gone for 10 seconds after a person was there. Keep the last picture before.
- detection → byte_tracker → time_in_zone@v3 → detections_filter (time_in_zone above 20) → boxes.
- max_fps 5. At night many cameras turn grey and boxes are missed: say so.

## Telling
- One message for each event, with the picture of the person at the door and the time. Cooldown 120 seconds.
- Never claim who it was. A courier is a person to the model.
`,
  "skills/quality-inspection/SKILL.md": `---
name: quality-inspection
description: Inspect items on a conveyor or table and tell of those with defects.
---

# Inspection

## Before you begin
1. What is an item, and what is a defect? Ask for two or three pictures of each if the person has them.
2. Which model? Defects need one trained for them ("workspace/project/version"): classes such as "scratch", "dent", or a
   classifier good/bad. Without one, simple things can still be measured: colour (dominant_color, pixel_color_count),
   size (size_measurement with a reference object), presence (template_matching), text and codes (ocr, qr, barcode).
3. Light and sharpness decide. Check camera_focus on one picture and say when it is blurred.

## Set up
- Items that move: detection → byte_tracker → line_counter where the item is whole: each is judged once, as it crosses.
- Judge the item alone: dynamic_crop on the item, then the classifier or the measurement on the crop.
- detections_filter keeps the defects; delta_filter before a sink, so that a defect is told once.
- Fast belts need max_fps as high as the camera gives; say how many frames an item is seen for.

## Telling
- Count good and bad, and give the share. Show the crop of each defect with the time and the track id.
- A confidence between 0.4 and 0.6 is "to be looked at", not "bad".
`,
};
