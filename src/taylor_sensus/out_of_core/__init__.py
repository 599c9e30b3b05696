"""Tables larger than memory: files to files, a part at a time, by pyarrow's data sets.

source        which files are one table, and the parts in which it is gone through
row_groups    parts of Parquet files        byte_ranges   parts of text files
predict       `taylor_sensus.predict_dataset`: a model and files in, files with predictions out
part          one part: read, predict, write
manifest      what a folder of predictions was made from, so that only the same work goes on in it
workers       parts side by side, in processes of their own
"""
