/** Joints that are connected, counted from 1, by the number of joints: 17 as in COCO, 33 as in BlazePose. */
export const SKELETONS: Readonly<Record<number, string>> = {
  17: "1-2 1-3 2-3 2-4 3-5 6-12 6-7 6-8 7-13 7-9 8-10 9-11 12-13 14-12 15-13 16-14 17-15",
  33: "1-2 1-5 2-3 3-4 4-8 5-6 6-7 7-9 10-11 12-13 12-14 12-24 13-15 13-25 14-16 15-17 16-18 15-19 16-22 17-19 17-21 17-23 18-20 19-21 24-25 24-26 25-27 26-28 27-29 28-30 28-32 29-31 29-33 30-32 31-33",
};

/** Joints of COCO in their order. */
export const COCO_JOINTS: readonly string[] = [
  ..."nose left_eye right_eye left_ear right_ear left_shoulder right_shoulder left_elbow right_elbow".split(" "),
  ..."left_wrist right_wrist left_hip right_hip left_knee right_knee left_ankle right_ankle".split(" "),
];
